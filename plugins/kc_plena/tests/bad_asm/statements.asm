; Mnemonics, and everything PLENA's language does not have.
    S_ADDI_INTT gp1, gp0, 1            ; error: KC0201
    s_addi_int gp1, gp0, 1             ; error: KC0201
    S_SUBI_INT gp1, gp0, 1             ; error: KC0201
    V_MAX_VF gp1, gp1, f0, 0           ; error: KC0214
    V_RED_MAX_IDX gp5, gp2, gp4, f1    ; error: KC0214
    M_BMV 0, gp1, gp2                  ; error: KC0214
    C_BREAK                            ; error: KC0214
start: S_ADDI_INT gp1, gp0, 1          ; error: KC0226
start:                                 ; error: KC0226
    COUNT = 5                          ; error: KC0226
    .word 5                            ; error: KC0226
    5                                  ; error: KC0209
    gp1                                ; error: KC0201
    # a comment of another language    ; error: KC0209
    S_MAP_V_FP gp1, gp0, 3, gp2        ; error: KC0202
