# source: conv2d.c
# sha256: 8c54e986ed06daea234eaaf16aed777bd0ccb8baf37b7855726e324f31dfe04d
# compiler: ziglang 0.17.1 (clang 22.1.8)
# flags: -target riscv32-freestanding-none -mcpu=generic_rv32+m+zve32x+zvl128b-a-c-d -fno-sanitize=undefined -Wno-unused-command-line-argument -O2 -ffreestanding -fomit-frame-pointer -fno-pic -mno-relax -g0 -fno-asynchronous-unwind-tables -fno-addrsig -fno-verbose-asm -S
# macros: -DH=8 -DCI=8 -DCO=16 -DKS=3 -DS=9 -DMUL=1717986918
	.attribute	4, 16
	.attribute	5, "rv32i2p1_m2p0_zicsr2p0_zmmul1p0_zve32x1p0_zvl128b1p0_zvl32b1p0_zvl64b1p0"
	.file	"conv2d.c"
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
	li	a4, 0
	addi	a0, a0, -72
	li	a5, -9
	li	a6, 16
	li	a7, -8
	li	t0, 1152
	lui	t2, 419430
	li	t1, 8
	addi	t2, t2, 1638
	csrwi	vxrm, 0
	j	.LBB0_2
.LBB0_1:
	addi	a4, a4, 1
	addi	a5, a5, 1
	addi	a0, a0, 64
	beq	a4, t1, .LBB0_13
.LBB0_2:
	li	t3, 0
	slli	t4, a4, 7
	add	t4, a3, t4
	mv	t5, a0
	j	.LBB0_4
.LBB0_3:
	addi	t3, t3, 1
	addi	t5, t5, 8
	beq	t3, t1, .LBB0_1
.LBB0_4:
	li	t6, 0
	addi	s0, t3, -7
	slli	s1, t3, 4
	add	s1, t4, s1
	j	.LBB0_6
.LBB0_5:
	vsetvli	zero, zero, e32, m8, ta, ma
	vsmul.vx	v8, v8, t2
	add	s3, s1, t6
	vsetvli	zero, zero, e16, m4, ta, ma
	vnclip.wi	v16, v8, 9
	vsetvli	zero, zero, e8, m2, ta, ma
	vnclip.wi	v8, v16, 0
	add	t6, s2, t6
	vse8.v	v8, (s3)
	bge	t6, a6, .LBB0_3
.LBB0_6:
	li	s3, 0
	sub	s2, a6, t6
	slli	s4, t6, 2
	vsetvli	s2, s2, e8, m2, ta, ma
	add	s4, a2, s4
	vle32.v	v8, (s4)
	add	s4, a1, t6
	mv	s5, t5
	mv	s6, a5
	j	.LBB0_8
.LBB0_7:
	addi	s3, s3, 384
	addi	s6, s6, 1
	addi	s5, s5, 64
	beq	s3, t0, .LBB0_5
.LBB0_8:
	bltu	s6, a7, .LBB0_7
	add	s7, s4, s3
	beqz	t3, .LBB0_11
	vsetvli	zero, zero, e16, m4, ta, ma
	vle8.v	v18, (s7)
	addi	s8, s7, 16
	addi	s9, s7, 32
	vle8.v	v24, (s8)
	vle8.v	v16, (s9)
	lb	s8, 0(s5)
	lb	s9, 1(s5)
	lb	s10, 2(s5)
	lb	s11, 3(s5)
	vsext.vf2	v20, v18
	vwmacc.vx	v8, s8, v20
	addi	s8, s7, 48
	vle8.v	v26, (s8)
	addi	s8, s7, 64
	vsext.vf2	v20, v24
	vwmacc.vx	v8, s9, v20
	addi	s9, s7, 80
	vle8.v	v24, (s8)
	addi	s8, s7, 96
	vsext.vf2	v20, v16
	vwmacc.vx	v8, s10, v20
	vle8.v	v20, (s9)
	vsext.vf2	v16, v26
	vwmacc.vx	v8, s11, v16
	vle8.v	v22, (s8)
	lb	s8, 4(s5)
	lb	s9, 5(s5)
	lb	s10, 6(s5)
	lb	s11, 7(s5)
	vsext.vf2	v16, v24
	vwmacc.vx	v8, s8, v16
	addi	s8, s7, 112
	vle8.v	v24, (s8)
	vsext.vf2	v16, v20
	vwmacc.vx	v8, s9, v16
	vsext.vf2	v16, v22
	vwmacc.vx	v8, s10, v16
	vsext.vf2	v16, v24
	vwmacc.vx	v8, s11, v16
.LBB0_11:
	addi	s8, s7, 128
	addi	s9, s7, 144
	addi	s10, s7, 160
	vsetvli	zero, zero, e16, m4, ta, ma
	vle8.v	v18, (s8)
	vle8.v	v24, (s9)
	vle8.v	v16, (s10)
	lb	s8, 8(s5)
	lb	s9, 9(s5)
	lb	s10, 10(s5)
	lb	s11, 11(s5)
	vsext.vf2	v20, v18
	vwmacc.vx	v8, s8, v20
	addi	s8, s7, 176
	vle8.v	v26, (s8)
	addi	s8, s7, 192
	vsext.vf2	v20, v24
	vwmacc.vx	v8, s9, v20
	addi	s9, s7, 208
	vle8.v	v24, (s8)
	addi	s8, s7, 224
	vsext.vf2	v20, v16
	vwmacc.vx	v8, s10, v20
	vle8.v	v20, (s9)
	vsext.vf2	v16, v26
	vwmacc.vx	v8, s11, v16
	vle8.v	v22, (s8)
	lb	s8, 12(s5)
	lb	s9, 13(s5)
	lb	s10, 14(s5)
	lb	s11, 15(s5)
	vsext.vf2	v16, v24
	vwmacc.vx	v8, s8, v16
	addi	s8, s7, 240
	vle8.v	v24, (s8)
	vsext.vf2	v16, v20
	vwmacc.vx	v8, s9, v16
	vsext.vf2	v16, v22
	vwmacc.vx	v8, s10, v16
	vsext.vf2	v16, v24
	vwmacc.vx	v8, s11, v16
	bltu	s0, a7, .LBB0_7
	addi	s8, s7, 256
	addi	s9, s7, 272
	addi	s10, s7, 288
	vle8.v	v18, (s8)
	vle8.v	v24, (s9)
	vle8.v	v16, (s10)
	lb	s8, 16(s5)
	lb	s9, 17(s5)
	lb	s10, 18(s5)
	lb	s11, 19(s5)
	vsext.vf2	v20, v18
	vwmacc.vx	v8, s8, v20
	addi	s8, s7, 304
	vle8.v	v26, (s8)
	addi	s8, s7, 320
	vsext.vf2	v20, v24
	vwmacc.vx	v8, s9, v20
	addi	s9, s7, 336
	vle8.v	v24, (s8)
	addi	s8, s7, 352
	vsext.vf2	v20, v16
	vwmacc.vx	v8, s10, v20
	vle8.v	v20, (s9)
	vsext.vf2	v16, v26
	vwmacc.vx	v8, s11, v16
	vle8.v	v22, (s8)
	lb	s8, 20(s5)
	lb	s9, 21(s5)
	lb	s10, 22(s5)
	lb	s11, 23(s5)
	vsext.vf2	v16, v24
	vwmacc.vx	v8, s8, v16
	addi	s7, s7, 368
	vle8.v	v24, (s7)
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
