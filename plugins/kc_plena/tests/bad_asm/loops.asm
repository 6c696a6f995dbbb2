; Loops are nested or apart, each with its own counter. These findings come only when every line is right by itself.
    C_LOOP_END gp9                     ; error: KC0260
    C_LOOP_START gp1, 2
    C_LOOP_START gp2, 2
    C_LOOP_END gp1                     ; error: KC0262
    C_LOOP_END gp2
    C_LOOP_START gp3, 2
    C_LOOP_START gp4, 2
    C_LOOP_START gp3, 2                ; error: KC0263
    C_LOOP_END gp3
    C_LOOP_END gp4
    C_LOOP_END gp3
    C_LOOP_END gp3                     ; error: KC0260
    C_LOOP_START gp5, 7                ; error: KC0261
    C_LOOP_START gp6, 7                ; error: KC0261
    S_ADDI_INT gp1, gp0, 1
