# source: conv_block.c
# sha256: bf75f5cae1921e00df3e6bb5544a73e00af43a9b9bf3e8771792a7f948721471
# compiler: ziglang 0.17.1 (clang 22.1.8)
# flags: -target riscv32-freestanding-none -mcpu=generic_rv32+m+zve32x+zvl128b-a-c-d -fno-sanitize=undefined -Wno-unused-command-line-argument -O2 -ffreestanding -fomit-frame-pointer -fno-pic -mno-relax -g0 -fno-asynchronous-unwind-tables -fno-addrsig -fno-verbose-asm -S
# macros: -DH=8 -DCI=8 -DCO=16 -DKS=3
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
	sw	a5, 8(sp)
	li	a6, 0
	addi	a5, a0, -72
	li	a7, -9
	li	t0, 16
	li	t1, -8
	li	t2, 1152
	li	t3, 8
	csrwi	vxrm, 0
	j	.LBB0_2
.LBB0_1:
	addi	a6, a6, 1
	addi	a7, a7, 1
	addi	a5, a5, 64
	beq	a6, t3, .LBB0_13
.LBB0_2:
	li	t4, 0
	slli	t5, a6, 7
	lw	a0, 8(sp)
	add	t5, a0, t5
	mv	t6, a5
	j	.LBB0_4
.LBB0_3:
	addi	t4, t4, 1
	addi	t6, t6, 8
	beq	t4, t3, .LBB0_1
.LBB0_4:
	li	s0, 0
	addi	s1, t4, -7
	slli	s2, t4, 4
	add	s2, t5, s2
	j	.LBB0_6
.LBB0_5:
	add	a0, a3, s4
	vsetvli	zero, zero, e32, m8, ta, ma
	vle32.v	v16, (a0)
	add	s4, a4, s4
	vle32.v	v24, (s4)
	vsmul.vv	v8, v8, v16
	add	a0, s2, s0
	vssra.vv	v8, v8, v24
	vmax.vx	v8, v8, zero
	vsetvli	zero, zero, e16, m4, ta, ma
	vnclip.wi	v16, v8, 0
	vsetvli	zero, zero, e8, m2, ta, ma
	vnclip.wi	v8, v16, 0
	add	s0, s3, s0
	vse8.v	v8, (a0)
	bge	s0, t0, .LBB0_3
.LBB0_6:
	li	s5, 0
	sub	s3, t0, s0
	slli	s4, s0, 2
	vsetvli	s3, s3, e8, m2, ta, ma
	add	s6, a2, s4
	vle32.v	v8, (s6)
	add	s6, a1, s0
	mv	s7, t6
	mv	s8, a7
	j	.LBB0_8
.LBB0_7:
	addi	s5, s5, 384
	addi	s8, s8, 1
	addi	s7, s7, 64
	beq	s5, t2, .LBB0_5
.LBB0_8:
	bltu	s8, t1, .LBB0_7
	add	s9, s6, s5
	beqz	t4, .LBB0_11
	vsetvli	zero, zero, e16, m4, ta, ma
	vle8.v	v18, (s9)
	addi	s10, s9, 16
	addi	s11, s9, 32
	vle8.v	v24, (s10)
	vle8.v	v16, (s11)
	lb	s10, 0(s7)
	lb	s11, 1(s7)
	lb	ra, 2(s7)
	lb	a0, 3(s7)
	vsext.vf2	v20, v18
	vwmacc.vx	v8, s10, v20
	addi	s10, s9, 48
	vle8.v	v26, (s10)
	addi	s10, s9, 64
	vsext.vf2	v20, v24
	vwmacc.vx	v8, s11, v20
	addi	s11, s9, 80
	vle8.v	v24, (s10)
	addi	s10, s9, 96
	vsext.vf2	v20, v16
	vwmacc.vx	v8, ra, v20
	vle8.v	v20, (s11)
	vsext.vf2	v16, v26
	vwmacc.vx	v8, a0, v16
	vle8.v	v22, (s10)
	lb	a0, 4(s7)
	lb	s10, 5(s7)
	lb	s11, 6(s7)
	lb	ra, 7(s7)
	vsext.vf2	v16, v24
	vwmacc.vx	v8, a0, v16
	addi	a0, s9, 112
	vle8.v	v24, (a0)
	vsext.vf2	v16, v20
	vwmacc.vx	v8, s10, v16
	vsext.vf2	v16, v22
	vwmacc.vx	v8, s11, v16
	vsext.vf2	v16, v24
	vwmacc.vx	v8, ra, v16
.LBB0_11:
	addi	a0, s9, 128
	addi	s10, s9, 144
	addi	s11, s9, 160
	vsetvli	zero, zero, e16, m4, ta, ma
	vle8.v	v18, (a0)
	vle8.v	v24, (s10)
	vle8.v	v16, (s11)
	lb	a0, 8(s7)
	lb	s10, 9(s7)
	lb	s11, 10(s7)
	lb	ra, 11(s7)
	vsext.vf2	v20, v18
	vwmacc.vx	v8, a0, v20
	addi	a0, s9, 176
	vle8.v	v26, (a0)
	addi	a0, s9, 192
	vsext.vf2	v20, v24
	vwmacc.vx	v8, s10, v20
	addi	s10, s9, 208
	vle8.v	v24, (a0)
	addi	a0, s9, 224
	vsext.vf2	v20, v16
	vwmacc.vx	v8, s11, v20
	vle8.v	v20, (s10)
	vsext.vf2	v16, v26
	vwmacc.vx	v8, ra, v16
	vle8.v	v22, (a0)
	lb	a0, 12(s7)
	lb	s10, 13(s7)
	lb	s11, 14(s7)
	lb	ra, 15(s7)
	vsext.vf2	v16, v24
	vwmacc.vx	v8, a0, v16
	addi	a0, s9, 240
	vle8.v	v24, (a0)
	vsext.vf2	v16, v20
	vwmacc.vx	v8, s10, v16
	vsext.vf2	v16, v22
	vwmacc.vx	v8, s11, v16
	vsext.vf2	v16, v24
	vwmacc.vx	v8, ra, v16
	bltu	s1, t1, .LBB0_7
	addi	a0, s9, 256
	addi	s10, s9, 272
	addi	s11, s9, 288
	vle8.v	v18, (a0)
	vle8.v	v24, (s10)
	vle8.v	v16, (s11)
	lb	a0, 16(s7)
	lb	s10, 17(s7)
	lb	s11, 18(s7)
	lb	ra, 19(s7)
	vsext.vf2	v20, v18
	vwmacc.vx	v8, a0, v20
	addi	a0, s9, 304
	vle8.v	v26, (a0)
	addi	a0, s9, 320
	vsext.vf2	v20, v24
	vwmacc.vx	v8, s10, v20
	addi	s10, s9, 336
	vle8.v	v24, (a0)
	addi	a0, s9, 352
	vsext.vf2	v20, v16
	vwmacc.vx	v8, s11, v20
	vle8.v	v20, (s10)
	vsext.vf2	v16, v26
	vwmacc.vx	v8, ra, v16
	vle8.v	v22, (a0)
	lb	a0, 20(s7)
	lb	s10, 21(s7)
	lb	s11, 22(s7)
	lb	ra, 23(s7)
	vsext.vf2	v16, v24
	vwmacc.vx	v8, a0, v16
	addi	a0, s9, 368
	vle8.v	v24, (a0)
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
