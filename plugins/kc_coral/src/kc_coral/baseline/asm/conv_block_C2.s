# source: conv_block.c
# sha256: bf75f5cae1921e00df3e6bb5544a73e00af43a9b9bf3e8771792a7f948721471
# compiler: ziglang 0.17.1 (clang 22.1.8)
# flags: -target riscv32-freestanding-none -mcpu=generic_rv32+m+zve32x+zvl128b-a-c-d -fno-sanitize=undefined -Wno-unused-command-line-argument -O2 -ffreestanding -fomit-frame-pointer -fno-pic -mno-relax -g0 -fno-asynchronous-unwind-tables -fno-addrsig -fno-verbose-asm -S
# macros: -DH=8 -DCI=8 -DCO=8 -DKS=3
	.attribute	4, 16
	.attribute	5, "rv32i2p1_m2p0_zicsr2p0_zmmul1p0_zve32x1p0_zvl128b1p0_zvl32b1p0_zvl64b1p0"
	.file	"conv_block.c"
	.text
	.globl	kernel
	.p2align	2
	.type	kernel,@function
kernel:
	.cfi_startproc
	addi	sp, sp, -64
	.cfi_def_cfa_offset 64
	sw	ra, 60(sp)
	sw	s0, 56(sp)
	sw	s1, 52(sp)
	sw	s2, 48(sp)
	sw	s3, 44(sp)
	sw	s4, 40(sp)
	sw	s5, 36(sp)
	sw	s6, 32(sp)
	sw	s7, 28(sp)
	sw	s8, 24(sp)
	sw	s9, 20(sp)
	sw	s10, 16(sp)
	sw	s11, 12(sp)
	.cfi_offset ra, -4
	.cfi_offset s0, -8
	.cfi_offset s1, -12
	.cfi_offset s2, -16
	.cfi_offset s3, -20
	.cfi_offset s4, -24
	.cfi_offset s5, -28
	.cfi_offset s6, -32
	.cfi_offset s7, -36
	.cfi_offset s8, -40
	.cfi_offset s9, -44
	.cfi_offset s10, -48
	.cfi_offset s11, -52
	li	a6, 0
	addi	a0, a0, -72
	li	a7, -9
	li	t0, 8
	li	t1, -8
	li	t2, 576
	csrwi	vxrm, 0
	j	.LBB0_2
.LBB0_1:
	addi	a6, a6, 1
	addi	a7, a7, 1
	addi	a0, a0, 64
	beq	a6, t0, .LBB0_13
.LBB0_2:
	li	t3, 0
	slli	t4, a6, 6
	add	t4, a5, t4
	mv	t5, a0
	j	.LBB0_4
.LBB0_3:
	addi	t3, t3, 1
	addi	t5, t5, 8
	beq	t3, t0, .LBB0_1
.LBB0_4:
	li	t6, 0
	slli	s1, t3, 3
	addi	s0, t3, -7
	add	s1, t4, s1
	j	.LBB0_6
.LBB0_5:
	add	s4, a3, s3
	vsetvli	zero, zero, e32, m8, ta, ma
	vle32.v	v16, (s4)
	add	s3, a4, s3
	vle32.v	v24, (s3)
	vsmul.vv	v8, v8, v16
	add	s3, s1, t6
	vssra.vv	v8, v8, v24
	vmax.vx	v8, v8, zero
	vsetvli	zero, zero, e16, m4, ta, ma
	vnclip.wi	v16, v8, 0
	vsetvli	zero, zero, e8, m2, ta, ma
	vnclip.wi	v8, v16, 0
	add	t6, s2, t6
	vse8.v	v8, (s3)
	bge	t6, t0, .LBB0_3
.LBB0_6:
	li	s4, 0
	sub	s2, t0, t6
	slli	s3, t6, 2
	vsetvli	s2, s2, e8, m2, ta, ma
	add	s5, a2, s3
	vle32.v	v8, (s5)
	add	s5, a1, t6
	mv	s6, t5
	mv	s7, a7
	j	.LBB0_8
.LBB0_7:
	addi	s4, s4, 192
	addi	s7, s7, 1
	addi	s6, s6, 64
	beq	s4, t2, .LBB0_5
.LBB0_8:
	bltu	s7, t1, .LBB0_7
	add	s8, s5, s4
	beqz	t3, .LBB0_11
	vsetvli	zero, zero, e16, m4, ta, ma
	vle8.v	v18, (s8)
	addi	s9, s8, 8
	addi	s10, s8, 16
	vle8.v	v24, (s9)
	vle8.v	v16, (s10)
	lb	s9, 0(s6)
	lb	s10, 1(s6)
	lb	s11, 2(s6)
	lb	ra, 3(s6)
	vsext.vf2	v20, v18
	vwmacc.vx	v8, s9, v20
	addi	s9, s8, 24
	vle8.v	v26, (s9)
	addi	s9, s8, 32
	vsext.vf2	v20, v24
	vwmacc.vx	v8, s10, v20
	addi	s10, s8, 40
	vle8.v	v24, (s9)
	addi	s9, s8, 48
	vsext.vf2	v20, v16
	vwmacc.vx	v8, s11, v20
	vle8.v	v20, (s10)
	vsext.vf2	v16, v26
	vwmacc.vx	v8, ra, v16
	vle8.v	v22, (s9)
	lb	s9, 4(s6)
	lb	s10, 5(s6)
	lb	s11, 6(s6)
	lb	ra, 7(s6)
	vsext.vf2	v16, v24
	vwmacc.vx	v8, s9, v16
	addi	s9, s8, 56
	vle8.v	v24, (s9)
	vsext.vf2	v16, v20
	vwmacc.vx	v8, s10, v16
	vsext.vf2	v16, v22
	vwmacc.vx	v8, s11, v16
	vsext.vf2	v16, v24
	vwmacc.vx	v8, ra, v16
.LBB0_11:
	addi	s9, s8, 64
	addi	s10, s8, 72
	addi	s11, s8, 80
	vsetvli	zero, zero, e16, m4, ta, ma
	vle8.v	v18, (s9)
	vle8.v	v24, (s10)
	vle8.v	v16, (s11)
	lb	s9, 8(s6)
	lb	s10, 9(s6)
	lb	s11, 10(s6)
	lb	ra, 11(s6)
	vsext.vf2	v20, v18
	vwmacc.vx	v8, s9, v20
	addi	s9, s8, 88
	vle8.v	v26, (s9)
	addi	s9, s8, 96
	vsext.vf2	v20, v24
	vwmacc.vx	v8, s10, v20
	addi	s10, s8, 104
	vle8.v	v24, (s9)
	addi	s9, s8, 112
	vsext.vf2	v20, v16
	vwmacc.vx	v8, s11, v20
	vle8.v	v20, (s10)
	vsext.vf2	v16, v26
	vwmacc.vx	v8, ra, v16
	vle8.v	v22, (s9)
	lb	s9, 12(s6)
	lb	s10, 13(s6)
	lb	s11, 14(s6)
	lb	ra, 15(s6)
	vsext.vf2	v16, v24
	vwmacc.vx	v8, s9, v16
	addi	s9, s8, 120
	vle8.v	v24, (s9)
	vsext.vf2	v16, v20
	vwmacc.vx	v8, s10, v16
	vsext.vf2	v16, v22
	vwmacc.vx	v8, s11, v16
	vsext.vf2	v16, v24
	vwmacc.vx	v8, ra, v16
	bltu	s0, t1, .LBB0_7
	addi	s9, s8, 128
	addi	s10, s8, 136
	addi	s11, s8, 144
	vle8.v	v18, (s9)
	vle8.v	v24, (s10)
	vle8.v	v16, (s11)
	lb	s9, 16(s6)
	lb	s10, 17(s6)
	lb	s11, 18(s6)
	lb	ra, 19(s6)
	vsext.vf2	v20, v18
	vwmacc.vx	v8, s9, v20
	addi	s9, s8, 152
	vle8.v	v26, (s9)
	addi	s9, s8, 160
	vsext.vf2	v20, v24
	vwmacc.vx	v8, s10, v20
	addi	s10, s8, 168
	vle8.v	v24, (s9)
	addi	s9, s8, 176
	vsext.vf2	v20, v16
	vwmacc.vx	v8, s11, v20
	vle8.v	v20, (s10)
	vsext.vf2	v16, v26
	vwmacc.vx	v8, ra, v16
	vle8.v	v22, (s9)
	lb	s9, 20(s6)
	lb	s10, 21(s6)
	lb	s11, 22(s6)
	lb	ra, 23(s6)
	vsext.vf2	v16, v24
	vwmacc.vx	v8, s9, v16
	addi	s8, s8, 184
	vle8.v	v24, (s8)
	vsext.vf2	v16, v20
	vwmacc.vx	v8, s10, v16
	vsext.vf2	v16, v22
	vwmacc.vx	v8, s11, v16
	vsext.vf2	v16, v24
	vwmacc.vx	v8, ra, v16
	j	.LBB0_7
.LBB0_13:
	lw	ra, 60(sp)
	lw	s0, 56(sp)
	lw	s1, 52(sp)
	lw	s2, 48(sp)
	lw	s3, 44(sp)
	lw	s4, 40(sp)
	lw	s5, 36(sp)
	lw	s6, 32(sp)
	lw	s7, 28(sp)
	lw	s8, 24(sp)
	lw	s9, 20(sp)
	lw	s10, 16(sp)
	lw	s11, 12(sp)
	.cfi_restore ra
	.cfi_restore s0
	.cfi_restore s1
	.cfi_restore s2
	.cfi_restore s3
	.cfi_restore s4
	.cfi_restore s5
	.cfi_restore s6
	.cfi_restore s7
	.cfi_restore s8
	.cfi_restore s9
	.cfi_restore s10
	.cfi_restore s11
	addi	sp, sp, 64
	.cfi_def_cfa_offset 0
	ret
.Lfunc_end0:
	.size	kernel, .Lfunc_end0-kernel
	.cfi_endproc

	.ident	"clang version 22.1.8"
	.section	".note.GNU-stack","",@progbits
