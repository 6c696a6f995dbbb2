; Immediates, numbers, operand counts.
    S_ADDI_INT gp1, gp0, 262144        ; error: KC0203
    S_ADDI_INT gp1, gp0, -1            ; error: KC0203
    S_LUI_INT gp1, 4194304             ; error: KC0203
    C_LOOP_START gp1, 0                ; error: KC0203
    H_PREFETCH_M gp1, gp2, a0, 2, 0    ; error: KC0203
    H_PREFETCH_M gp1, gp2, a0, 1, 2    ; error: KC0203
    V_SUB_VF gp1, gp2, f3, 0, 2        ; error: KC0203
    V_ADD_VV gp1, gp2, gp3, 2          ; error: KC0203
    S_ADDI_INT gp1, gp0, 1_000         ; error: KC0213
    S_ADDI_INT gp1, gp0, +1            ; error: KC0213
    S_ADDI_INT gp1, gp0, 0b1           ; error: KC0213
    S_ADDI_INT gp1, gp0, 1.0           ; error: KC0213
    S_ADD_INT gp1, gp2                 ; error: KC0202
    S_ADD_INT gp1, gp2, gp3, gp4       ; error: KC0202
    C_SET_SCALE_REG                    ; error: KC0202
    C_SET_ADDR_REG a1, , gp1           ; error: KC0202
    S_ADDI_INT gp1, gp0, 1 + 2         ; error: KC0209
    S_ADDI_INT gp1 gp0, 1              ; error: KC0209
    S_ADDI_INT (gp1), gp0, 1           ; error: KC0209
