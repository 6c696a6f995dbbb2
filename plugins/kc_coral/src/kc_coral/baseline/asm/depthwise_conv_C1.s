# source: depthwise_conv.c
# sha256: 579f1df0ce21200f84081b3061216e4edd6252e6ca3f3a8e25e00eb49ee08426
# compiler: ziglang 0.17.1 (clang 22.1.8)
# flags: -target riscv32-freestanding-none -mcpu=generic_rv32+m+zve32x+zvl128b-a-c-d -fno-sanitize=undefined -Wno-unused-command-line-argument -O2 -ffreestanding -fomit-frame-pointer -fno-pic -mno-relax -g0 -fno-asynchronous-unwind-tables -fno-addrsig -fno-verbose-asm -S
# macros: -DH=8 -DC=16 -DKS=3 -DS=7 -DMUL=1717986918
	.attribute	4, 16
	.attribute	5, "rv32i2p1_m2p0_zicsr2p0_zmmul1p0_zve32x1p0_zvl128b1p0_zvl32b1p0_zvl64b1p0"
	.file	"depthwise_conv.c"
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
	li	a4, 0
	li	a5, 16
	li	a6, -8
	lui	t1, 419430
	li	a7, 8
	li	t0, -9
	addi	t1, t1, 1638
	csrwi	vxrm, 0
	j	.LBB0_2
.LBB0_1:
	addi	a4, a4, 1
	beq	a4, a7, .LBB0_20
.LBB0_2:
	li	t2, 0
	slli	t3, a4, 7
	addi	t4, a4, -7
	add	t5, a3, t3
	j	.LBB0_4
.LBB0_3:
	addi	t2, t2, 1
	beq	t2, a7, .LBB0_1
.LBB0_4:
	li	t6, 0
	slli	s0, t2, 4
	addi	s1, t2, -7
	add	s2, t5, s0
	j	.LBB0_7
.LBB0_5:
	add	s5, s5, s0
	addi	s4, s4, 128
	addi	s5, s5, 144
	vle8.v	v20, (s5)
	vle8.v	v22, (s4)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
.LBB0_6:
	vsetvli	zero, zero, e32, m8, ta, ma
	vsmul.vx	v8, v8, t1
	add	s4, s2, t6
	vsetvli	zero, zero, e16, m4, ta, ma
	vnclip.wi	v16, v8, 7
	vsetvli	zero, zero, e8, m2, ta, ma
	vnclip.wi	v8, v16, 0
	add	t6, s3, t6
	vse8.v	v8, (s4)
	bge	t6, a5, .LBB0_3
.LBB0_7:
	sub	s3, a5, t6
	add	s5, a0, t6
	slli	s4, t6, 2
	vsetvli	s3, s3, e8, m2, ta, ma
	add	s4, a2, s4
	vle32.v	v8, (s4)
	add	s4, a1, t6
	add	s5, s5, t3
	addi	s6, s4, 64
	beqz	a4, .LBB0_13
	add	s7, s5, s0
	addi	s8, s4, 16
	beqz	t2, .LBB0_11
	addi	s9, s7, -144
	vle8.v	v20, (s4)
	vle8.v	v22, (s9)
	addi	s9, s7, -128
	vle8.v	v24, (s8)
	vle8.v	v26, (s9)
	vwmul.vv	v16, v22, v20
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v26, v24
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	bltu	t0, s1, .LBB0_12
	addi	s7, s5, 128
	j	.LBB0_14
.LBB0_11:
	addi	s9, s7, -128
	vle8.v	v20, (s9)
	vle8.v	v22, (s8)
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
.LBB0_12:
	addi	s7, s7, -112
	vle8.v	v20, (s7)
	addi	s7, s4, 32
	vle8.v	v22, (s7)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
.LBB0_13:
	addi	s7, s5, 128
	beqz	t2, .LBB0_18
.LBB0_14:
	add	s7, s7, s0
	addi	s8, s4, 48
	vsetvli	zero, zero, e8, m2, ta, ma
	vle8.v	v20, (s6)
	addi	s6, s7, -144
	vle8.v	v22, (s8)
	vle8.v	v24, (s6)
	addi	s6, s7, -128
	vle8.v	v26, (s6)
	vwmul.vv	v16, v24, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v26, v20
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	bltu	s1, a6, .LBB0_16
	addi	s6, s7, -112
	vle8.v	v20, (s6)
	addi	s6, s4, 80
	vle8.v	v22, (s6)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
.LBB0_16:
	bltu	t4, a6, .LBB0_6
	add	s6, s5, s0
	addi	s7, s4, 96
	vle8.v	v20, (s7)
	addi	s7, s6, 112
	vle8.v	v22, (s7)
	addi	s7, s4, 112
	addi	s6, s6, 128
	vle8.v	v24, (s7)
	vle8.v	v26, (s6)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v22, v20
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v26, v24
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	bgeu	s1, a6, .LBB0_5
	j	.LBB0_6
.LBB0_18:
	add	s7, s7, s0
	vsetvli	zero, zero, e8, m2, ta, ma
	vle8.v	v20, (s6)
	addi	s6, s4, 80
	addi	s8, s7, -128
	addi	s7, s7, -112
	vle8.v	v22, (s8)
	vle8.v	v24, (s6)
	vle8.v	v26, (s7)
	vwmul.vv	v16, v22, v20
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v26, v24
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	bltu	t4, a6, .LBB0_6
	add	s6, s5, s0
	addi	s6, s6, 128
	vle8.v	v20, (s6)
	addi	s6, s4, 112
	vle8.v	v22, (s6)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	j	.LBB0_5
.LBB0_20:
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
	addi	sp, sp, 48
	.cfi_def_cfa_offset 0
	ret
.Lfunc_end0:
	.size	kernel, .Lfunc_end0-kernel
	.cfi_endproc

	.ident	"clang version 22.1.8"
	.section	".note.GNU-stack","",@progbits
