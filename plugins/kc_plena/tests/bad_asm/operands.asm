; Operands of the wrong class, register index, number or size. One finding per marked line.
    M_MM_WO gp8, 0, 0                  ; error: KC0204
    S_MUL_INT gp1, gp2, 64             ; error: KC0204
    S_ADDI_INT gp1, gp0, gp2           ; error: KC0204
    S_ADD_FP gp1, f2, f3               ; error: KC0204
    V_ADD_VF gp1, gp2, gp3, 0          ; error: KC0204
    H_PREFETCH_V gp1, gp2, gp3, 1, 0   ; error: KC0204
    V_ADD_VV gp1, gp2, gp3, gp1        ; error: KC0204
    S_ADDI_INT gp16, gp0, 1            ; error: KC0205
    S_ADD_FP f8, f1, f2                ; error: KC0205
    C_SET_ADDR_REG a8, gp0, gp1        ; error: KC0205
    S_ADDI_INT gp13_r, gp0, 1          ; error: KC0206
    S_ADDI_INT gpA, gp0, 1             ; error: KC0206
    S_ADDI_INT GP1, gp0, 1             ; error: KC0206
    S_ADDI_INT gp01, gp0, 1            ; error: KC0206
    S_ADDI_INT gp1, gp0, COUNT         ; error: KC0206
    V_EXP_V gp1, gp1, 1                ; error: KC0208
    V_RED_SUM f1, gp1, 1               ; error: KC0208
    M_MM gp3, gp1, gp2                 ; error: KC0208
    S_EXP_FP f1, f2, 3                 ; error: KC0208
