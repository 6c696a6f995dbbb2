; SiLU of X [4, 64] on PLENA: x * sigmoid(x), in place in VRAM. FP_MEM[1] must hold 1.0.
; The compiler's program of the KernelCraft paper (task SiLU, C1): 92 cycles.
; silu [4, 64]
S_ADDI_INT gp1, gp0, 0
S_ADDI_INT gp2, gp0, 0
S_ADDI_INT gp3, gp0, 0
; preload [4, 64] from a0 into VRAM, 4 rows per prefetch
S_ADDI_INT gp1, gp0, 256
C_SET_SCALE_REG gp1
S_ADDI_INT gp1, gp0, 0
S_ADDI_INT gp3, gp0, 0
S_ADDI_INT gp2, gp0, 64
C_SET_STRIDE_REG gp2
C_LOOP_START gp4, 1
    S_ADDI_INT gp2, gp1, 0
    H_PREFETCH_V gp3, gp2, a0, 1, 0
    S_ADDI_INT gp3, gp3, 256
    S_ADDI_INT gp1, gp1, 64
C_LOOP_END gp4
S_ADDI_INT gp1, gp0, 0
S_ADDI_INT gp2, gp0, 0
S_ADDI_INT gp3, gp0, 0
S_ADDI_INT gp4, gp0, 0
; silu over 4 rows at 0
S_ADDI_INT gp1, gp0, 0
S_ADDI_INT gp2, gp0, 256
S_LD_FP f1, gp0, 1
C_LOOP_START gp3, 4
    V_SUB_VF gp2, gp1, f0, 0, 1
    V_EXP_V gp2, gp2, 0
    V_ADD_VF gp2, gp2, f1, 0
    V_RECI_V gp2, gp2, 0
    V_MUL_VV gp1, gp2, gp1, 0
    S_ADDI_INT gp1, gp1, 64
C_LOOP_END gp3
