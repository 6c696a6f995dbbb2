# source: depthwise_conv.c
# sha256: 579f1df0ce21200f84081b3061216e4edd6252e6ca3f3a8e25e00eb49ee08426
# compiler: ziglang 0.17.1 (clang 22.1.8)
# flags: -target riscv32-freestanding-none -mcpu=generic_rv32+m+zve32x+zvl128b-a-c-d -fno-sanitize=undefined -Wno-unused-command-line-argument -O2 -ffreestanding -fomit-frame-pointer -fno-pic -mno-relax -g0 -fno-asynchronous-unwind-tables -fno-addrsig -fno-verbose-asm -S
# macros: -DH=16 -DC=32 -DKS=5 -DS=8 -DMUL=1717986918
	.attribute	4, 16
	.attribute	5, "rv32i2p1_m2p0_zicsr2p0_zmmul1p0_zve32x1p0_zvl128b1p0_zvl32b1p0_zvl64b1p0"
	.file	"depthwise_conv.c"
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
	sw	a3, 4(sp)
	li	a4, 0
	li	a5, 32
	li	a6, 2
	li	a7, -16
	li	t0, 14
	lui	a3, 419430
	li	t2, 13
	li	t3, -17
	addi	t4, a3, 1638
	csrwi	vxrm, 0
	j	.LBB0_2
.LBB0_1:
	mv	a4, s10
	li	a3, 16
	beq	s10, a3, .LBB0_52
.LBB0_2:
	li	t1, 0
	slli	t6, a4, 9
	addi	s0, a4, 1
	lw	a3, 4(sp)
	add	a3, a3, t6
	sw	a3, 8(sp)
	slli	s2, s0, 9
	j	.LBB0_4
.LBB0_3:
	addi	t1, t1, 1
	li	a3, 16
	beq	t1, a3, .LBB0_1
.LBB0_4:
	li	s3, 0
	slli	s5, t1, 5
	addi	a3, t1, -15
	addi	s6, t1, -14
	lw	s7, 8(sp)
	add	s7, s7, s5
	j	.LBB0_6
.LBB0_5:
	vsetvli	zero, zero, e32, m8, ta, ma
	vsmul.vx	v8, v8, t4
	add	t5, s7, s3
	vsetvli	zero, zero, e16, m4, ta, ma
	vnclip.wi	v16, v8, 8
	vsetvli	zero, zero, e8, m2, ta, ma
	vnclip.wi	v8, v16, 0
	add	s3, s8, s3
	vse8.v	v8, (t5)
	bge	s3, a5, .LBB0_3
.LBB0_6:
	sub	t5, a5, s3
	slli	s4, s3, 2
	vsetvli	s8, t5, e8, m2, ta, ma
	add	s4, a2, s4
	vle32.v	v8, (s4)
	add	s11, a0, s3
	add	s9, a1, s3
	addi	ra, s9, 384
	bgeu	a4, a6, .LBB0_9
	bnez	a4, .LBB0_17
	li	s10, 1
	j	.LBB0_26
.LBB0_9:
	add	t5, s11, t6
	add	s10, t5, s5
	addi	s4, s9, 64
	bgeu	t1, a6, .LBB0_12
	bnez	t1, .LBB0_13
	add	t5, t5, s5
	addi	s1, t5, -1024
	vle8.v	v20, (s1)
	vle8.v	v22, (s4)
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	j	.LBB0_14
.LBB0_12:
	addi	t5, s10, -1088
	vle8.v	v20, (t5)
	vle8.v	v22, (s9)
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
.LBB0_13:
	addi	t5, s10, -1056
	vsetvli	zero, zero, e8, m2, ta, ma
	vle8.v	v20, (t5)
	addi	t5, s9, 32
	vle8.v	v22, (t5)
	addi	t5, s10, -1024
	vle8.v	v24, (s4)
	vle8.v	v26, (t5)
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v26, v24
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	mv	t5, s10
	bltu	a3, a7, .LBB0_15
.LBB0_14:
	addi	s1, s10, -992
	vle8.v	v20, (s1)
	addi	s1, s9, 96
	vle8.v	v22, (s1)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	mv	s10, t5
.LBB0_15:
	bltu	s6, a7, .LBB0_17
	addi	t5, s10, -960
	vle8.v	v20, (t5)
	addi	t5, s9, 128
	vle8.v	v22, (t5)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
.LBB0_17:
	add	t5, s11, s2
	add	s10, t5, s5
	addi	s4, s9, 224
	bgeu	t1, a6, .LBB0_20
	bnez	t1, .LBB0_21
	add	t5, t5, s5
	addi	s1, t5, -1024
	vsetvli	zero, zero, e8, m2, ta, ma
	vle8.v	v20, (s1)
	vle8.v	v22, (s4)
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	j	.LBB0_22
.LBB0_20:
	addi	t5, s10, -1088
	vsetvli	zero, zero, e8, m2, ta, ma
	vle8.v	v20, (t5)
	addi	t5, s9, 160
	vle8.v	v22, (t5)
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
.LBB0_21:
	addi	t5, s10, -1056
	vsetvli	zero, zero, e8, m2, ta, ma
	vle8.v	v20, (t5)
	addi	t5, s9, 192
	vle8.v	v22, (t5)
	addi	t5, s10, -1024
	vle8.v	v24, (s4)
	vle8.v	v26, (t5)
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v26, v24
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	mv	t5, s10
	bltu	a3, a7, .LBB0_23
.LBB0_22:
	addi	s1, s10, -992
	vle8.v	v20, (s1)
	addi	s1, s9, 256
	vle8.v	v22, (s1)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	mv	s10, t5
.LBB0_23:
	bltu	t3, s6, .LBB0_25
	add	t5, s11, t6
	addi	s4, t5, 1024
	mv	s10, s0
	j	.LBB0_29
.LBB0_25:
	addi	t5, s10, -960
	vle8.v	v20, (t5)
	addi	t5, s9, 288
	vle8.v	v22, (t5)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	mv	s10, s0
.LBB0_26:
	add	t5, s11, t6
	addi	s4, t5, 1024
	bgeu	t1, a6, .LBB0_29
	bnez	t1, .LBB0_30
	add	s4, s4, s5
	addi	t5, s4, -1024
	vsetvli	zero, zero, e8, m2, ta, ma
	vle8.v	v20, (t5)
	vle8.v	v22, (ra)
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	j	.LBB0_33
.LBB0_29:
	add	t5, s4, s5
	addi	t5, t5, -1088
	vsetvli	zero, zero, e8, m2, ta, ma
	vle8.v	v20, (t5)
	addi	t5, s9, 320
	vle8.v	v22, (t5)
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
.LBB0_30:
	add	s4, s4, s5
	addi	t5, s9, 352
	vsetvli	zero, zero, e8, m2, ta, ma
	vle8.v	v20, (ra)
	addi	s1, s4, -1056
	vle8.v	v22, (t5)
	vle8.v	v24, (s1)
	addi	t5, s4, -1024
	vle8.v	v26, (t5)
	vwmul.vv	v16, v24, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v26, v20
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	bgeu	a3, a7, .LBB0_33
	bgeu	s6, a7, .LBB0_34
.LBB0_32:
	bltu	t0, a4, .LBB0_5
	j	.LBB0_35
.LBB0_33:
	addi	t5, s4, -992
	vle8.v	v20, (t5)
	addi	t5, s9, 416
	vle8.v	v22, (t5)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	bltu	s6, a7, .LBB0_32
.LBB0_34:
	addi	t5, s4, -960
	vle8.v	v20, (t5)
	addi	t5, s9, 448
	vle8.v	v22, (t5)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	bltu	t0, a4, .LBB0_5
.LBB0_35:
	add	s11, s11, t6
	addi	t5, s11, 1536
	add	ra, t5, s5
	addi	s4, s9, 544
	bgeu	t1, a6, .LBB0_38
	bnez	t1, .LBB0_39
	add	t5, t5, s5
	addi	s1, t5, -1024
	vle8.v	v20, (s1)
	vle8.v	v22, (s4)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	j	.LBB0_42
.LBB0_38:
	addi	t5, ra, -1088
	vle8.v	v20, (t5)
	addi	t5, s9, 480
	vle8.v	v22, (t5)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
.LBB0_39:
	addi	t5, ra, -1056
	vle8.v	v20, (t5)
	addi	t5, s9, 512
	vle8.v	v22, (t5)
	addi	t5, ra, -1024
	vle8.v	v24, (s4)
	vle8.v	v26, (t5)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v26, v24
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	mv	t5, ra
	bgeu	a3, a7, .LBB0_42
	bgeu	s6, a7, .LBB0_43
.LBB0_41:
	bltu	t2, a4, .LBB0_5
	j	.LBB0_44
.LBB0_42:
	addi	s1, ra, -992
	vle8.v	v20, (s1)
	addi	s1, s9, 576
	vle8.v	v22, (s1)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	mv	ra, t5
	bltu	s6, a7, .LBB0_41
.LBB0_43:
	addi	t5, ra, -960
	vle8.v	v20, (t5)
	addi	t5, s9, 608
	vle8.v	v22, (t5)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	bltu	t2, a4, .LBB0_5
.LBB0_44:
	addi	t5, s11, 2047
	addi	t5, t5, 1
	add	s11, t5, s5
	addi	s4, s9, 704
	bgeu	t1, a6, .LBB0_47
	bnez	t1, .LBB0_48
	add	t5, t5, s5
	addi	s1, t5, -1024
	vle8.v	v20, (s1)
	vle8.v	v22, (s4)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	j	.LBB0_49
.LBB0_47:
	addi	t5, s11, -1088
	vle8.v	v20, (t5)
	addi	t5, s9, 640
	vle8.v	v22, (t5)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
.LBB0_48:
	addi	t5, s11, -1056
	vle8.v	v20, (t5)
	addi	t5, s9, 672
	vle8.v	v22, (t5)
	addi	t5, s11, -1024
	vle8.v	v24, (s4)
	vle8.v	v26, (t5)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v26, v24
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	mv	t5, s11
	bltu	a3, a7, .LBB0_50
.LBB0_49:
	addi	s1, s11, -992
	vle8.v	v20, (s1)
	addi	s1, s9, 736
	vle8.v	v22, (s1)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	mv	s11, t5
.LBB0_50:
	bltu	s6, a7, .LBB0_5
	addi	t5, s11, -960
	addi	s1, s9, 768
	vle8.v	v20, (t5)
	vle8.v	v22, (s1)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	j	.LBB0_5
.LBB0_52:
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
