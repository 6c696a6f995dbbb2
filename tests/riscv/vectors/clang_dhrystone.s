# Output of clang from the PyPI package ziglang (-O2, RV64) for a C version of Dhrystone, two files, local labels of the second renamed: a syntax test.
	.text
	.attribute	4, 16
	.attribute	5, "rv64i2p1_m2p0_a2p1_f2p2_d2p2_c2p0_zicsr2p0_zifencei2p0_zmmul1p0"
	.file	"dhry_main.c"
	.globl	kernel                          # -- Begin function kernel
	.p2align	1
	.type	kernel,@function
kernel:                                 # @kernel
# %bb.0:
	addi	sp, sp, -176
	sd	ra, 168(sp)                     # 8-byte Folded Spill
	sd	s0, 160(sp)                     # 8-byte Folded Spill
	sd	s1, 152(sp)                     # 8-byte Folded Spill
	sd	s2, 144(sp)                     # 8-byte Folded Spill
	sd	s3, 136(sp)                     # 8-byte Folded Spill
	sd	s4, 128(sp)                     # 8-byte Folded Spill
	sd	s5, 120(sp)                     # 8-byte Folded Spill
	sd	s6, 112(sp)                     # 8-byte Folded Spill
	sd	s7, 104(sp)                     # 8-byte Folded Spill
	sd	s8, 96(sp)                      # 8-byte Folded Spill
	sd	s9, 88(sp)                      # 8-byte Folded Spill
	sd	s10, 80(sp)                     # 8-byte Folded Spill
	sd	s11, 72(sp)                     # 8-byte Folded Spill
	sd	a1, 48(sp)                      # 8-byte Folded Spill
	sw	zero, 68(sp)
	sw	zero, 64(sp)
	sw	zero, 60(sp)
	sd	a0, 40(sp)                      # 8-byte Folded Spill
	blez	a0, .LBB0_15
# %bb.1:
	mv	s5, a2
	sd	a3, 0(sp)                       # 8-byte Folded Spill
	addi	s1, a2, 31
	li	s8, 2
.Lpcrel_hi0:
	auipc	a0, %pcrel_hi(S2)
	addi	a0, a0, %pcrel_lo(.Lpcrel_hi0)
	sd	a0, 32(sp)                      # 8-byte Folded Spill
.Lpcrel_hi1:
	auipc	a0, %pcrel_hi(Bool_Glob)
	sd	a0, 24(sp)                      # 8-byte Folded Spill
.Lpcrel_hi2:
	auipc	a0, %pcrel_hi(Arr_1_Glob)
	addi	a0, a0, %pcrel_lo(.Lpcrel_hi2)
	sd	a0, 16(sp)                      # 8-byte Folded Spill
.Lpcrel_hi3:
	auipc	a0, %pcrel_hi(Arr_2_Glob)
	addi	s6, a0, %pcrel_lo(.Lpcrel_hi3)
.Lpcrel_hi4:
	auipc	a0, %pcrel_hi(Ptr_Glob)
	sd	a0, 8(sp)                       # 8-byte Folded Spill
.Lpcrel_hi5:
	auipc	s2, %pcrel_hi(Ch_2_Glob)
.Lpcrel_hi6:
	auipc	a0, %pcrel_hi(S3)
	addi	s7, a0, %pcrel_lo(.Lpcrel_hi6)
.Lpcrel_hi7:
	auipc	s3, %pcrel_hi(Int_Glob)
	li	a0, 1
	j	.LBB0_3
.LBB0_2:                                #   in Loop: Header=BB0_3 Depth=1
	lw	a0, 68(sp)
	lw	s11, 64(sp)
	mul	s0, a0, s10
	divw	s9, s0, s11
	sw	s9, 68(sp)
	addi	a0, sp, 68
	call	Proc_2
	addi	a0, s4, 1
	ld	a1, 40(sp)                      # 8-byte Folded Reload
	beq	s4, a1, .LBB0_14
.LBB0_3:                                # =>This Loop Header: Depth=1
                                        #     Child Loop BB0_4 Depth 2
                                        #     Child Loop BB0_6 Depth 2
                                        #     Child Loop BB0_10 Depth 2
                                        #       Child Loop BB0_12 Depth 3
	mv	s4, a0
	call	Proc_5
	call	Proc_4
	sw	s8, 68(sp)
	ld	a0, 32(sp)                      # 8-byte Folded Reload
	mv	a1, s5
.LBB0_4:                                #   Parent Loop BB0_3 Depth=1
                                        # =>  This Inner Loop Header: Depth=2
	lbu	a2, 0(a0)
	sb	a2, 0(a1)
	addi	a1, a1, 1
	addi	a0, a0, 1
	bne	a1, s1, .LBB0_4
# %bb.5:                                #   in Loop: Header=BB0_3 Depth=1
	li	a0, 1
	sw	a0, 60(sp)
	ld	a0, 48(sp)                      # 8-byte Folded Reload
	mv	a1, s5
	call	Func_2
	lw	a2, 68(sp)
	mv	a1, a0
	mv	a0, a2
	seqz	a1, a1
	ld	a2, 24(sp)                      # 8-byte Folded Reload
	sw	a1, %pcrel_lo(.Lpcrel_hi1)(a2)
	blt	s8, a0, .LBB0_7
.LBB0_6:                                #   Parent Loop BB0_3 Depth=1
                                        # =>  This Inner Loop Header: Depth=2
	slli	a1, a0, 2
	add	a1, a1, a0
	addi	a1, a1, -3
	sw	a1, 64(sp)
	li	a1, 3
	addi	a2, sp, 64
	call	Proc_7
	lw	a1, 68(sp)
	addiw	a0, a1, 1
	sw	a0, 68(sp)
	blt	a1, s8, .LBB0_6
.LBB0_7:                                #   in Loop: Header=BB0_3 Depth=1
	lw	a3, 64(sp)
	mv	a2, a0
	ld	a0, 16(sp)                      # 8-byte Folded Reload
	mv	a1, s6
	call	Proc_8
	ld	a0, 8(sp)                       # 8-byte Folded Reload
	ld	a0, %pcrel_lo(.Lpcrel_hi4)(a0)
	call	Proc_1
	lbu	a0, %pcrel_lo(.Lpcrel_hi5)(s2)
	li	s10, 3
	li	a1, 65
	bltu	a0, a1, .LBB0_2
# %bb.8:                                #   in Loop: Header=BB0_3 Depth=1
	li	s10, 3
	li	s9, 65
	j	.LBB0_10
.LBB0_9:                                #   in Loop: Header=BB0_10 Depth=2
	lbu	a0, %pcrel_lo(.Lpcrel_hi5)(s2)
	addi	s9, s9, 1
	andi	a1, s9, 255
	bltu	a0, a1, .LBB0_2
.LBB0_10:                               #   Parent Loop BB0_3 Depth=1
                                        # =>  This Loop Header: Depth=2
                                        #       Child Loop BB0_12 Depth 3
	lw	s0, 60(sp)
	andi	a0, s9, 255
	li	a1, 67
	call	Func_1
	bne	s0, a0, .LBB0_9
# %bb.11:                               #   in Loop: Header=BB0_10 Depth=2
	addi	a1, sp, 60
	li	a0, 0
	call	Proc_6
	mv	a0, s7
	mv	a1, s5
.LBB0_12:                               #   Parent Loop BB0_3 Depth=1
                                        #     Parent Loop BB0_10 Depth=2
                                        # =>    This Inner Loop Header: Depth=3
	lbu	a2, 0(a0)
	sb	a2, 0(a1)
	addi	a1, a1, 1
	addi	a0, a0, 1
	bne	a1, s1, .LBB0_12
# %bb.13:                               #   in Loop: Header=BB0_10 Depth=2
	sw	s4, %pcrel_lo(.Lpcrel_hi7)(s3)
	mv	s10, s4
	j	.LBB0_9
.LBB0_14:
	subw	a3, s0, s11
	lw	a2, 68(sp)
	lw	a1, 64(sp)
	lw	a0, 60(sp)
	slli	a4, a3, 3
	add	a3, a3, s9
	subw	a4, a4, a3
	ld	a3, 0(sp)                       # 8-byte Folded Reload
	j	.LBB0_16
.LBB0_15:
	li	a0, 0
	li	a1, 0
	li	a2, 0
	li	a4, 0
.LBB0_16:
	sw	a2, 0(a3)
	sw	a4, 4(a3)
	sw	a1, 8(a3)
	sw	a0, 12(a3)
	ld	ra, 168(sp)                     # 8-byte Folded Reload
	ld	s0, 160(sp)                     # 8-byte Folded Reload
	ld	s1, 152(sp)                     # 8-byte Folded Reload
	ld	s2, 144(sp)                     # 8-byte Folded Reload
	ld	s3, 136(sp)                     # 8-byte Folded Reload
	ld	s4, 128(sp)                     # 8-byte Folded Reload
	ld	s5, 120(sp)                     # 8-byte Folded Reload
	ld	s6, 112(sp)                     # 8-byte Folded Reload
	ld	s7, 104(sp)                     # 8-byte Folded Reload
	ld	s8, 96(sp)                      # 8-byte Folded Reload
	ld	s9, 88(sp)                      # 8-byte Folded Reload
	ld	s10, 80(sp)                     # 8-byte Folded Reload
	ld	s11, 72(sp)                     # 8-byte Folded Reload
	addi	sp, sp, 176
	ret
.Lfunc_end0:
	.size	kernel, .Lfunc_end0-kernel
                                        # -- End function
	.type	S2,@object                      # @S2
	.section	.rodata.cst32,"aM",@progbits,32
S2:
	.asciz	"DHRYSTONE PROGRAM, 2'ND STRING\000"
	.size	S2, 32

	.type	S3,@object                      # @S3
S3:
	.asciz	"DHRYSTONE PROGRAM, 3'RD STRING\000"
	.size	S3, 32

	.ident	"Debian clang version 19.1.7 (3~deb12u1)"
	.section	".note.GNU-stack","",@progbits
	.addrsig
	.addrsig_sym Arr_1_Glob
	.addrsig_sym Arr_2_Glob
	.text
	.attribute	4, 16
	.attribute	5, "rv64i2p1_m2p0_a2p1_f2p2_d2p2_c2p0_zicsr2p0_zifencei2p0_zmmul1p0"
	.file	"dhry_procs.c"
	.globl	Proc_1                          # -- Begin function Proc_1
	.p2align	1
	.type	Proc_1,@function
Proc_1:                                 # @Proc_1
# %bb.0:
	addi	sp, sp, -48
	sd	ra, 40(sp)                      # 8-byte Folded Spill
	sd	s0, 32(sp)                      # 8-byte Folded Spill
	sd	s1, 24(sp)                      # 8-byte Folded Spill
	sd	s2, 16(sp)                      # 8-byte Folded Spill
	sd	s3, 8(sp)                       # 8-byte Folded Spill
.Mpcrel_hi0:
	auipc	s3, %pcrel_hi(Ptr_Glob)
	ld	a1, %pcrel_lo(.Mpcrel_hi0)(s3)
	mv	s0, a0
	ld	s1, 0(a0)
	ld	a0, 48(a1)
	sd	a0, 48(s1)
	ld	a0, 40(a1)
	sd	a0, 40(s1)
	ld	a0, 32(a1)
	sd	a0, 32(s1)
	ld	a0, 24(a1)
	sd	a0, 24(s1)
	ld	a0, 16(a1)
	sd	a0, 16(s1)
	ld	a0, 8(a1)
	sd	a0, 8(s1)
	ld	a0, 0(a1)
	sd	a0, 0(s1)
	ld	a0, 0(s0)
	li	a1, 5
	sw	a1, 16(s0)
	sw	a1, 16(s1)
	sd	a0, 0(s1)
	mv	a0, s1
	call	Proc_3
	lw	a0, 8(s1)
	beqz	a0, .MBB0_2
# %bb.1:
	ld	a0, 0(s0)
	ld	a1, 8(a0)
	sd	a1, 8(s0)
	ld	a1, 16(a0)
	sd	a1, 16(s0)
	ld	a1, 24(a0)
	sd	a1, 24(s0)
	ld	a1, 32(a0)
	sd	a1, 32(s0)
	ld	a1, 40(a0)
	sd	a1, 40(s0)
	ld	a1, 48(a0)
	sd	a1, 48(s0)
	ld	a0, 0(a0)
	sd	a0, 0(s0)
	ld	ra, 40(sp)                      # 8-byte Folded Reload
	ld	s0, 32(sp)                      # 8-byte Folded Reload
	ld	s1, 24(sp)                      # 8-byte Folded Reload
	ld	s2, 16(sp)                      # 8-byte Folded Reload
	ld	s3, 8(sp)                       # 8-byte Folded Reload
	addi	sp, sp, 48
	ret
.MBB0_2:
	addi	s2, s1, 16
	lw	a0, 12(s0)
	li	a1, 6
	sw	a1, 16(s1)
	addi	a1, s1, 12
	call	Proc_6
	ld	a0, %pcrel_lo(.Mpcrel_hi0)(s3)
	ld	a2, 0(a0)
	lw	a0, 16(s1)
	li	a1, 10
	sd	a2, 0(s1)
	mv	a2, s2
	ld	ra, 40(sp)                      # 8-byte Folded Reload
	ld	s0, 32(sp)                      # 8-byte Folded Reload
	ld	s1, 24(sp)                      # 8-byte Folded Reload
	ld	s2, 16(sp)                      # 8-byte Folded Reload
	ld	s3, 8(sp)                       # 8-byte Folded Reload
	addi	sp, sp, 48
	tail	Proc_7
.Mfunc_end0:
	.size	Proc_1, .Mfunc_end0-Proc_1
                                        # -- End function
	.globl	Proc_3                          # -- Begin function Proc_3
	.p2align	1
	.type	Proc_3,@function
Proc_3:                                 # @Proc_3
# %bb.0:
.Mpcrel_hi1:
	auipc	a1, %pcrel_hi(Ptr_Glob)
	ld	a2, %pcrel_lo(.Mpcrel_hi1)(a1)
	ld	a2, 0(a2)
	sd	a2, 0(a0)
	ld	a2, %pcrel_lo(.Mpcrel_hi1)(a1)
.Mpcrel_hi2:
	auipc	a0, %pcrel_hi(Int_Glob)
	lw	a1, %pcrel_lo(.Mpcrel_hi2)(a0)
	addi	a2, a2, 16
	li	a0, 10
	tail	Proc_7
.Mfunc_end1:
	.size	Proc_3, .Mfunc_end1-Proc_3
                                        # -- End function
	.globl	Proc_6                          # -- Begin function Proc_6
	.p2align	1
	.type	Proc_6,@function
Proc_6:                                 # @Proc_6
# %bb.0:
	addi	sp, sp, -32
	sd	ra, 24(sp)                      # 8-byte Folded Spill
	sd	s0, 16(sp)                      # 8-byte Folded Spill
	sd	s1, 8(sp)                       # 8-byte Folded Spill
	mv	s0, a1
	mv	s1, a0
	call	Func_3
	mv	a1, s1
	bnez	a0, .MBB2_2
# %bb.1:
	li	a1, 3
.MBB2_2:
	li	a0, 1
	sw	a1, 0(s0)
	blt	a0, s1, .MBB2_6
# %bb.3:
	beqz	s1, .MBB2_10
# %bb.4:
	li	a0, 1
	bne	s1, a0, .MBB2_11
# %bb.5:
.Mpcrel_hi3:
	auipc	a0, %pcrel_hi(Int_Glob)
	lw	a0, %pcrel_lo(.Mpcrel_hi3)(a0)
	slti	a0, a0, 101
	negw	s1, a0
	andi	s1, s1, 3
	j	.MBB2_10
.MBB2_6:
	li	a0, 2
	beq	s1, a0, .MBB2_9
# %bb.7:
	li	a0, 4
	bne	s1, a0, .MBB2_11
# %bb.8:
	li	s1, 2
	j	.MBB2_10
.MBB2_9:
	li	s1, 1
.MBB2_10:
	sw	s1, 0(s0)
.MBB2_11:
	ld	ra, 24(sp)                      # 8-byte Folded Reload
	ld	s0, 16(sp)                      # 8-byte Folded Reload
	ld	s1, 8(sp)                       # 8-byte Folded Reload
	addi	sp, sp, 32
	ret
.Mfunc_end2:
	.size	Proc_6, .Mfunc_end2-Proc_6
                                        # -- End function
	.globl	Proc_7                          # -- Begin function Proc_7
	.p2align	1
	.type	Proc_7,@function
Proc_7:                                 # @Proc_7
# %bb.0:
	add	a0, a0, a1
	addi	a0, a0, 2
	sw	a0, 0(a2)
	ret
.Mfunc_end3:
	.size	Proc_7, .Mfunc_end3-Proc_7
                                        # -- End function
	.globl	Proc_2                          # -- Begin function Proc_2
	.p2align	1
	.type	Proc_2,@function
Proc_2:                                 # @Proc_2
# %bb.0:
.Mpcrel_hi4:
	auipc	a1, %pcrel_hi(Ch_1_Glob)
	lbu	a1, %pcrel_lo(.Mpcrel_hi4)(a1)
	li	a2, 65
	bne	a1, a2, .MBB4_2
# %bb.1:
	lw	a1, 0(a0)
.Mpcrel_hi5:
	auipc	a2, %pcrel_hi(Int_Glob)
	lw	a2, %pcrel_lo(.Mpcrel_hi5)(a2)
	subw	a1, a1, a2
	addi	a1, a1, 9
	sw	a1, 0(a0)
	ret
.MBB4_2:                                # =>This Inner Loop Header: Depth=1
	j	.MBB4_2
.Mfunc_end4:
	.size	Proc_2, .Mfunc_end4-Proc_2
                                        # -- End function
	.globl	Proc_4                          # -- Begin function Proc_4
	.p2align	1
	.type	Proc_4,@function
Proc_4:                                 # @Proc_4
# %bb.0:
.Mpcrel_hi6:
	auipc	a0, %pcrel_hi(Ch_1_Glob)
	lbu	a0, %pcrel_lo(.Mpcrel_hi6)(a0)
.Mpcrel_hi7:
	auipc	a1, %pcrel_hi(Bool_Glob)
	lw	a2, %pcrel_lo(.Mpcrel_hi7)(a1)
	addi	a0, a0, -65
	seqz	a0, a0
	or	a0, a0, a2
	sw	a0, %pcrel_lo(.Mpcrel_hi7)(a1)
.Mpcrel_hi8:
	auipc	a0, %pcrel_hi(Ch_2_Glob)
	li	a1, 66
	sb	a1, %pcrel_lo(.Mpcrel_hi8)(a0)
	ret
.Mfunc_end5:
	.size	Proc_4, .Mfunc_end5-Proc_4
                                        # -- End function
	.globl	Proc_5                          # -- Begin function Proc_5
	.p2align	1
	.type	Proc_5,@function
Proc_5:                                 # @Proc_5
# %bb.0:
.Mpcrel_hi9:
	auipc	a0, %pcrel_hi(Ch_1_Glob)
	li	a1, 65
	sb	a1, %pcrel_lo(.Mpcrel_hi9)(a0)
.Mpcrel_hi10:
	auipc	a0, %pcrel_hi(Bool_Glob)
	sw	zero, %pcrel_lo(.Mpcrel_hi10)(a0)
	ret
.Mfunc_end6:
	.size	Proc_5, .Mfunc_end6-Proc_5
                                        # -- End function
	.globl	Func_3                          # -- Begin function Func_3
	.p2align	1
	.type	Func_3,@function
Func_3:                                 # @Func_3
# %bb.0:
	addi	a0, a0, -2
	seqz	a0, a0
	ret
.Mfunc_end7:
	.size	Func_3, .Mfunc_end7-Func_3
                                        # -- End function
	.globl	Proc_8                          # -- Begin function Proc_8
	.p2align	1
	.type	Proc_8,@function
Proc_8:                                 # @Proc_8
# %bb.0:
	addiw	a4, a2, 5
	slli	a6, a4, 2
	add	a7, a0, a6
	sw	a3, 0(a7)
	slli	a5, a2, 2
	add	a0, a0, a5
	sw	a3, 24(a0)
	sw	a4, 140(a0)
	li	a0, 200
	mul	a3, a4, a0
	add	a5, a5, a1
	add	a3, a3, a5
	lw	a5, 16(a3)
	sw	a4, 20(a3)
	sw	a4, 24(a3)
	addi	a5, a5, 1
	sw	a5, 16(a3)
	lw	a3, 0(a7)
	mul	a0, a2, a0
	add	a0, a0, a1
	lui	a1, 1
	add	a1, a1, a6
	add	a0, a0, a1
	sw	a3, 904(a0)
.Mpcrel_hi11:
	auipc	a0, %pcrel_hi(Int_Glob)
	li	a1, 5
	sw	a1, %pcrel_lo(.Mpcrel_hi11)(a0)
	ret
.Mfunc_end8:
	.size	Proc_8, .Mfunc_end8-Proc_8
                                        # -- End function
	.globl	Func_1                          # -- Begin function Func_1
	.p2align	1
	.type	Func_1,@function
Func_1:                                 # @Func_1
# %bb.0:
	bne	a0, a1, .MBB9_2
# %bb.1:
.Mpcrel_hi12:
	auipc	a1, %pcrel_hi(Ch_1_Glob)
	sb	a0, %pcrel_lo(.Mpcrel_hi12)(a1)
	li	a0, 1
	ret
.MBB9_2:
	li	a0, 0
	ret
.Mfunc_end9:
	.size	Func_1, .Mfunc_end9-Func_1
                                        # -- End function
	.globl	Func_2                          # -- Begin function Func_2
	.p2align	1
	.type	Func_2,@function
Func_2:                                 # @Func_2
# %bb.0:
	addi	sp, sp, -32
	sd	ra, 24(sp)                      # 8-byte Folded Spill
	sd	s0, 16(sp)                      # 8-byte Folded Spill
	sd	s1, 8(sp)                       # 8-byte Folded Spill
	mv	s0, a1
	mv	s1, a0
.MBB10_1:                               # =>This Inner Loop Header: Depth=1
	lbu	a0, 2(s1)
	lbu	a1, 3(s0)
	call	Func_1
	bnez	a0, .MBB10_1
# %bb.2:
	lbu	a0, 0(s1)
	beqz	a0, .MBB10_9
# %bb.3:
	addi	s1, s1, 1
.MBB10_4:                               # =>This Inner Loop Header: Depth=1
	lbu	a1, 0(s0)
	bne	a0, a1, .MBB10_6
# %bb.5:                                #   in Loop: Header=BB10_4 Depth=1
	lbu	a0, 0(s1)
	addi	s0, s0, 1
	addi	s1, s1, 1
	bnez	a0, .MBB10_4
.MBB10_6:
	lbu	a1, 0(s0)
	bgeu	a1, a0, .MBB10_8
# %bb.7:
.Mpcrel_hi13:
	auipc	a0, %pcrel_hi(Int_Glob)
	li	a1, 10
	sw	a1, %pcrel_lo(.Mpcrel_hi13)(a0)
	li	a0, 1
	j	.MBB10_9
.MBB10_8:
	li	a0, 0
.MBB10_9:
	ld	ra, 24(sp)                      # 8-byte Folded Reload
	ld	s0, 16(sp)                      # 8-byte Folded Reload
	ld	s1, 8(sp)                       # 8-byte Folded Reload
	addi	sp, sp, 32
	ret
.Mfunc_end10:
	.size	Func_2, .Mfunc_end10-Func_2
                                        # -- End function
	.ident	"Debian clang version 19.1.7 (3~deb12u1)"
	.section	".note.GNU-stack","",@progbits
	.addrsig
.data
.balign 8
.globl Ptr_Glob,Next_Ptr_Glob,Int_Glob,Bool_Glob,Ch_1_Glob,Ch_2_Glob,Arr_1_Glob,Arr_2_Glob
Ptr_Glob: .dword R0
Next_Ptr_Glob: .dword R1
Int_Glob: .word 0
Bool_Glob: .word 0
Ch_1_Glob: .byte 0
Ch_2_Glob: .byte 0
.balign 8
R0: .dword R1
.word 0,2,40
.ascii "DHRYSTONE PROGRAM, SOME STRING"
.zero 2
.balign 8
R1: .zero 56
Arr_1_Glob: .zero 200
Arr_2_Glob: .zero 1628
.word 10
.zero 8368
