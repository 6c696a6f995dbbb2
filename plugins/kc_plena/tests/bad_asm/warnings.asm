; Nothing here is an error.
    S_ADDI_INT gp0, gp0, 0
    S_ADDI_INT gp0, gp0, 5             ; warning: KC0265
    S_ADD_INT gp0, gp1, gp2            ; warning: KC0265
    S_MUL_INT gp0, gp0, gp2
    S_ADD_INT gp0, gp0, gp0
    S_LUI_INT gp0, 0
    S_LUI_INT gp0, 1                   ; warning: KC0265
    S_LD_INT gp0, gp1, 3               ; warning: KC0265
    S_ST_INT gp0, gp1, 3
    M_MM_WO gp0, gp0, 0
    C_SET_SCALE_REG gp0
    S_ADD_FP f0, f1, f2                ; warning: KC0266
    V_RED_MAX f0, gp1                  ; warning: KC0266
    S_LD_FP f0, gp1, 3
    S_ST_FP f0, gp1, 3
    C_LOOP_START gp0, 4                ; warning: KC0265
    C_LOOP_END gp0
    S_ADDI_INT gp1, gp0, 1
    C_LOOP_START gp1, 4
    S_ADDI_INT gp2, gp1, 1
    C_LOOP_START gp2, 4
    S_ADDI_INT gp1, gp1, 1             ; warning: KC0264
    S_ADDI_INT gp3, gp2, 1
    C_LOOP_END gp2
    S_LD_INT gp1, gp2, 0               ; warning: KC0264
    C_LOOP_END gp1
    S_ADDI_INT gp1, gp0, 1
