# source: conv_block.c
# sha256: bf75f5cae1921e00df3e6bb5544a73e00af43a9b9bf3e8771792a7f948721471
# compiler: ziglang 0.17.1 (clang 22.1.8)
# flags: -target riscv32-freestanding-none -mcpu=generic_rv32+m+zve32x+zvl128b-a-c-d -fno-sanitize=undefined -Wno-unused-command-line-argument -O2 -ffreestanding -fomit-frame-pointer -fno-pic -mno-relax -g0 -fno-asynchronous-unwind-tables -fno-addrsig -fno-verbose-asm -S
# macros: -DH=8 -DCI=8 -DCO=32 -DKS=3
	.attribute	4, 16
	.attribute	5, "rv32i2p1_m2p0_zicsr2p0_zmmul1p0_zve32x1p0_zvl128b1p0_zvl32b1p0_zvl64b1p0"
	.file	"conv_block.c"
	.text
	.globl	kernel
	.p2align	2
	.type	kernel,@function
kernel:
	.cfi_startproc
	addi	sp, sp, -48
	.cfi_def_cfa_offset 48
	sw	s0, 44(sp)
	sw	s1, 40(sp)
	sw	s2, 36(sp)
	sw	s3, 32(sp)
	sw	s4, 28(sp)
	sw	s5, 24(sp)
	sw	s6, 20(sp)
	sw	s7, 16(sp)
	sw	s8, 12(sp)
	sw	s9, 8(sp)
	sw	s10, 4(sp)
	sw	s11, 0(sp)
	.cfi_offset s0, -4
	.cfi_offset s1, -8
	.cfi_offset s2, -12
	.cfi_offset s3, -16
	.cfi_offset s4, -20
	.cfi_offset s5, -24
	.cfi_offset s6, -28
	.cfi_offset s7, -32
	.cfi_offset s8, -36
	.cfi_offset s9, -40
	.cfi_offset s10, -44
	.cfi_offset s11, -48
	li	a6, 0
	addi	a1, a1, 736
	addi	a0, a0, -72
	li	a7, -9
	li	t0, 32
	li	t1, -8
	li	t2, 8
	csrwi	vxrm, 0
	j	.LBB0_2
.LBB0_1:
	addi	a6, a6, 1
	addi	a7, a7, 1
	addi	a0, a0, 64
	beq	a6, t2, .LBB0_13
.LBB0_2:
	li	t3, 0
	addi	t4, a6, -6
	slli	t5, a6, 8
	add	t5, a5, t5
	mv	t6, a0
	j	.LBB0_4
.LBB0_3:
	addi	t3, t3, 1
	addi	t6, t6, 8
	beq	t3, t2, .LBB0_1
.LBB0_4:
	li	s0, 0
	addi	s1, t3, -7
	slli	s2, t3, 5
	add	s2, t5, s2
	j	.LBB0_6
.LBB0_5:
	add	s5, a3, s4
	vsetvli	zero, zero, e32, m8, ta, ma
	vle32.v	v16, (s5)
	add	s4, a4, s4
	vle32.v	v24, (s4)
	vsmul.vv	v8, v8, v16
	add	s4, s2, s0
	vssra.vv	v8, v8, v24
	vmax.vx	v8, v8, zero
	vsetvli	zero, zero, e16, m4, ta, ma
	vnclip.wi	v16, v8, 0
	vsetvli	zero, zero, e8, m2, ta, ma
	vnclip.wi	v8, v16, 0
	add	s0, s3, s0
	vse8.v	v8, (s4)
	bge	s0, t0, .LBB0_3
.LBB0_6:
	sub	s3, t0, s0
	slli	s4, s0, 2
	vsetvli	s3, s3, e8, m2, ta, ma
	add	s5, a2, s4
	vle32.v	v8, (s5)
	add	s5, a1, s0
	mv	s6, t6
	mv	s7, a7
	j	.LBB0_8
.LBB0_7:
	addi	s5, s5, 768
	addi	s7, s7, 1
	addi	s6, s6, 64
	beq	s7, t4, .LBB0_5
.LBB0_8:
	bltu	s7, t1, .LBB0_7
	beqz	t3, .LBB0_11
	addi	s8, s5, -736
	addi	s9, s5, -704
	addi	s10, s5, -672
	vsetvli	zero, zero, e16, m4, ta, ma
	vle8.v	v18, (s8)
	vle8.v	v24, (s9)
	vle8.v	v16, (s10)
	lb	s8, 0(s6)
	lb	s9, 1(s6)
	lb	s10, 2(s6)
	lb	s11, 3(s6)
	vsext.vf2	v20, v18
	vwmacc.vx	v8, s8, v20
	addi	s8, s5, -640
	vle8.v	v26, (s8)
	addi	s8, s5, -608
	vsext.vf2	v20, v24
	vwmacc.vx	v8, s9, v20
	addi	s9, s5, -576
	vle8.v	v24, (s8)
	addi	s8, s5, -544
	vsext.vf2	v20, v16
	vwmacc.vx	v8, s10, v20
	vle8.v	v20, (s9)
	vsext.vf2	v16, v26
	vwmacc.vx	v8, s11, v16
	vle8.v	v22, (s8)
	lb	s8, 4(s6)
	lb	s9, 5(s6)
	lb	s10, 6(s6)
	lb	s11, 7(s6)
	vsext.vf2	v16, v24
	vwmacc.vx	v8, s8, v16
	addi	s8, s5, -512
	vle8.v	v24, (s8)
	vsext.vf2	v16, v20
	vwmacc.vx	v8, s9, v16
	vsext.vf2	v16, v22
	vwmacc.vx	v8, s10, v16
	vsext.vf2	v16, v24
	vwmacc.vx	v8, s11, v16
.LBB0_11:
	addi	s8, s5, -480
	addi	s9, s5, -448
	addi	s10, s5, -416
	vsetvli	zero, zero, e16, m4, ta, ma
	vle8.v	v18, (s8)
	vle8.v	v24, (s9)
	vle8.v	v16, (s10)
	lb	s8, 8(s6)
	lb	s9, 9(s6)
	lb	s10, 10(s6)
	lb	s11, 11(s6)
	vsext.vf2	v20, v18
	vwmacc.vx	v8, s8, v20
	addi	s8, s5, -384
	vle8.v	v26, (s8)
	addi	s8, s5, -352
	vsext.vf2	v20, v24
	vwmacc.vx	v8, s9, v20
	addi	s9, s5, -320
	vle8.v	v24, (s8)
	addi	s8, s5, -288
	vsext.vf2	v20, v16
	vwmacc.vx	v8, s10, v20
	vle8.v	v20, (s9)
	vsext.vf2	v16, v26
	vwmacc.vx	v8, s11, v16
	vle8.v	v22, (s8)
	lb	s8, 12(s6)
	lb	s9, 13(s6)
	lb	s10, 14(s6)
	lb	s11, 15(s6)
	vsext.vf2	v16, v24
	vwmacc.vx	v8, s8, v16
	addi	s8, s5, -256
	vle8.v	v24, (s8)
	vsext.vf2	v16, v20
	vwmacc.vx	v8, s9, v16
	vsext.vf2	v16, v22
	vwmacc.vx	v8, s10, v16
	vsext.vf2	v16, v24
	vwmacc.vx	v8, s11, v16
	bltu	s1, t1, .LBB0_7
	addi	s8, s5, -224
	addi	s9, s5, -192
	addi	s10, s5, -160
	vle8.v	v18, (s8)
	vle8.v	v24, (s9)
	vle8.v	v16, (s10)
	lb	s8, 16(s6)
	lb	s9, 17(s6)
	lb	s10, 18(s6)
	lb	s11, 19(s6)
	vsext.vf2	v20, v18
	vwmacc.vx	v8, s8, v20
	addi	s8, s5, -128
	vle8.v	v26, (s8)
	addi	s8, s5, -96
	vsext.vf2	v20, v24
	vwmacc.vx	v8, s9, v20
	addi	s9, s5, -64
	vle8.v	v24, (s8)
	addi	s8, s5, -32
	vsext.vf2	v20, v16
	vwmacc.vx	v8, s10, v20
	vle8.v	v20, (s9)
	vsext.vf2	v16, v26
	vwmacc.vx	v8, s11, v16
	vle8.v	v22, (s8)
	lb	s8, 20(s6)
	lb	s9, 21(s6)
	lb	s10, 22(s6)
	lb	s11, 23(s6)
	vsext.vf2	v16, v24
	vwmacc.vx	v8, s8, v16
	vle8.v	v24, (s5)
	vsext.vf2	v16, v20
	vwmacc.vx	v8, s9, v16
	vsext.vf2	v16, v22
	vwmacc.vx	v8, s10, v16
	vsext.vf2	v16, v24
	vwmacc.vx	v8, s11, v16
	j	.LBB0_7
.LBB0_13:
	lw	s0, 44(sp)
	lw	s1, 40(sp)
	lw	s2, 36(sp)
	lw	s3, 32(sp)
	lw	s4, 28(sp)
	lw	s5, 24(sp)
	lw	s6, 20(sp)
	lw	s7, 16(sp)
	lw	s8, 12(sp)
	lw	s9, 8(sp)
	lw	s10, 4(sp)
	lw	s11, 0(sp)
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
	addi	sp, sp, 48
	.cfi_def_cfa_offset 0
	ret
.Lfunc_end0:
	.size	kernel, .Lfunc_end0-kernel
	.cfi_endproc

	.ident	"clang version 22.1.8"
	.section	".note.GNU-stack","",@progbits
