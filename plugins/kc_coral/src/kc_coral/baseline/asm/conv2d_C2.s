# source: conv2d.c
# sha256: 8c54e986ed06daea234eaaf16aed777bd0ccb8baf37b7855726e324f31dfe04d
# compiler: ziglang 0.17.1 (clang 22.1.8)
# flags: -target riscv32-freestanding-none -mcpu=generic_rv32+m+zve32x+zvl128b-a-c-d -fno-sanitize=undefined -Wno-unused-command-line-argument -O2 -ffreestanding -fomit-frame-pointer -fno-pic -mno-relax -g0 -fno-asynchronous-unwind-tables -fno-addrsig -fno-verbose-asm -S
# macros: -DH=8 -DCI=8 -DCO=8 -DKS=3 -DS=9 -DMUL=1717986918
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
	li	a4, 0
	addi	a0, a0, -72
	li	a5, -9
	li	a6, 8
	li	a7, -8
	li	t0, 576
	lui	t1, 419430
	addi	t1, t1, 1638
	csrwi	vxrm, 0
	j	.LBB0_2
.LBB0_1:
	addi	a4, a4, 1
	addi	a5, a5, 1
	addi	a0, a0, 64
	beq	a4, a6, .LBB0_13
.LBB0_2:
	li	t2, 0
	slli	t3, a4, 6
	add	t3, a3, t3
	mv	t4, a0
	j	.LBB0_4
.LBB0_3:
	addi	t2, t2, 1
	addi	t4, t4, 8
	beq	t2, a6, .LBB0_1
.LBB0_4:
	li	t5, 0
	slli	s0, t2, 3
	addi	t6, t2, -7
	add	s0, t3, s0
	j	.LBB0_6
.LBB0_5:
	vsetvli	zero, zero, e32, m8, ta, ma
	vsmul.vx	v8, v8, t1
	add	s2, s0, t5
	vsetvli	zero, zero, e16, m4, ta, ma
	vnclip.wi	v16, v8, 9
	vsetvli	zero, zero, e8, m2, ta, ma
	vnclip.wi	v8, v16, 0
	add	t5, s1, t5
	vse8.v	v8, (s2)
	bge	t5, a6, .LBB0_3
.LBB0_6:
	li	s2, 0
	sub	s1, a6, t5
	slli	s3, t5, 2
	vsetvli	s1, s1, e8, m2, ta, ma
	add	s3, a2, s3
	vle32.v	v8, (s3)
	add	s3, a1, t5
	mv	s4, t4
	mv	s5, a5
	j	.LBB0_8
.LBB0_7:
	addi	s2, s2, 192
	addi	s5, s5, 1
	addi	s4, s4, 64
	beq	s2, t0, .LBB0_5
.LBB0_8:
	bltu	s5, a7, .LBB0_7
	add	s6, s3, s2
	beqz	t2, .LBB0_11
	vsetvli	zero, zero, e16, m4, ta, ma
	vle8.v	v18, (s6)
	addi	s7, s6, 8
	addi	s8, s6, 16
	vle8.v	v24, (s7)
	vle8.v	v16, (s8)
	lb	s7, 0(s4)
	lb	s8, 1(s4)
	lb	s9, 2(s4)
	lb	s10, 3(s4)
	vsext.vf2	v20, v18
	vwmacc.vx	v8, s7, v20
	addi	s7, s6, 24
	vle8.v	v26, (s7)
	addi	s7, s6, 32
	vsext.vf2	v20, v24
	vwmacc.vx	v8, s8, v20
	addi	s8, s6, 40
	vle8.v	v24, (s7)
	addi	s7, s6, 48
	vsext.vf2	v20, v16
	vwmacc.vx	v8, s9, v20
	vle8.v	v20, (s8)
	vsext.vf2	v16, v26
	vwmacc.vx	v8, s10, v16
	vle8.v	v22, (s7)
	lb	s7, 4(s4)
	lb	s8, 5(s4)
	lb	s9, 6(s4)
	lb	s10, 7(s4)
	vsext.vf2	v16, v24
	vwmacc.vx	v8, s7, v16
	addi	s7, s6, 56
	vle8.v	v24, (s7)
	vsext.vf2	v16, v20
	vwmacc.vx	v8, s8, v16
	vsext.vf2	v16, v22
	vwmacc.vx	v8, s9, v16
	vsext.vf2	v16, v24
	vwmacc.vx	v8, s10, v16
.LBB0_11:
	addi	s7, s6, 64
	addi	s8, s6, 72
	addi	s9, s6, 80
	vsetvli	zero, zero, e16, m4, ta, ma
	vle8.v	v18, (s7)
	vle8.v	v24, (s8)
	vle8.v	v16, (s9)
	lb	s7, 8(s4)
	lb	s8, 9(s4)
	lb	s9, 10(s4)
	lb	s10, 11(s4)
	vsext.vf2	v20, v18
	vwmacc.vx	v8, s7, v20
	addi	s7, s6, 88
	vle8.v	v26, (s7)
	addi	s7, s6, 96
	vsext.vf2	v20, v24
	vwmacc.vx	v8, s8, v20
	addi	s8, s6, 104
	vle8.v	v24, (s7)
	addi	s7, s6, 112
	vsext.vf2	v20, v16
	vwmacc.vx	v8, s9, v20
	vle8.v	v20, (s8)
	vsext.vf2	v16, v26
	vwmacc.vx	v8, s10, v16
	vle8.v	v22, (s7)
	lb	s7, 12(s4)
	lb	s8, 13(s4)
	lb	s9, 14(s4)
	lb	s10, 15(s4)
	vsext.vf2	v16, v24
	vwmacc.vx	v8, s7, v16
	addi	s7, s6, 120
	vle8.v	v24, (s7)
	vsext.vf2	v16, v20
	vwmacc.vx	v8, s8, v16
	vsext.vf2	v16, v22
	vwmacc.vx	v8, s9, v16
	vsext.vf2	v16, v24
	vwmacc.vx	v8, s10, v16
	bltu	t6, a7, .LBB0_7
	addi	s7, s6, 128
	addi	s8, s6, 136
	addi	s9, s6, 144
	vle8.v	v18, (s7)
	vle8.v	v24, (s8)
	vle8.v	v16, (s9)
	lb	s7, 16(s4)
	lb	s8, 17(s4)
	lb	s9, 18(s4)
	lb	s10, 19(s4)
	vsext.vf2	v20, v18
	vwmacc.vx	v8, s7, v20
	addi	s7, s6, 152
	vle8.v	v26, (s7)
	addi	s7, s6, 160
	vsext.vf2	v20, v24
	vwmacc.vx	v8, s8, v20
	addi	s8, s6, 168
	vle8.v	v24, (s7)
	addi	s7, s6, 176
	vsext.vf2	v20, v16
	vwmacc.vx	v8, s9, v20
	vle8.v	v20, (s8)
	vsext.vf2	v16, v26
	vwmacc.vx	v8, s10, v16
	vle8.v	v22, (s7)
	lb	s7, 20(s4)
	lb	s8, 21(s4)
	lb	s9, 22(s4)
	lb	s10, 23(s4)
	vsext.vf2	v16, v24
	vwmacc.vx	v8, s7, v16
	addi	s6, s6, 184
	vle8.v	v24, (s6)
	vsext.vf2	v16, v20
	vwmacc.vx	v8, s8, v16
	vsext.vf2	v16, v22
	vwmacc.vx	v8, s9, v16
	vsext.vf2	v16, v24
	vwmacc.vx	v8, s10, v16
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
	addi	sp, sp, 48
	.cfi_def_cfa_offset 0
	ret
.Lfunc_end0:
	.size	kernel, .Lfunc_end0-kernel
	.cfi_endproc

	.ident	"clang version 22.1.8"
	.section	".note.GNU-stack","",@progbits
