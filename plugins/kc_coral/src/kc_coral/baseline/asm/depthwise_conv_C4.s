# source: depthwise_conv.c
# sha256: 579f1df0ce21200f84081b3061216e4edd6252e6ca3f3a8e25e00eb49ee08426
# compiler: ziglang 0.17.1 (clang 22.1.8)
# flags: -target riscv32-freestanding-none -mcpu=generic_rv32+m+zve32x+zvl128b-a-c-d -fno-sanitize=undefined -Wno-unused-command-line-argument -O2 -ffreestanding -fomit-frame-pointer -fno-pic -mno-relax -g0 -fno-asynchronous-unwind-tables -fno-addrsig -fno-verbose-asm -S
# macros: -DH=16 -DC=16 -DKS=5 -DS=8 -DMUL=1717986918
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
	li	a5, 16
	li	a6, 2
	li	a7, -16
	li	t0, 14
	lui	a3, 419430
	li	t1, 13
	li	t2, -17
	addi	t3, a3, 1638
	csrwi	vxrm, 0
	j	.LBB0_2
.LBB0_1:
	mv	a4, s9
	beq	s9, a5, .LBB0_52
.LBB0_2:
	li	s4, 0
	slli	t5, a4, 8
	addi	t6, a4, 1
	lw	a3, 4(sp)
	add	a3, a3, t5
	sw	a3, 8(sp)
	slli	s1, t6, 8
	j	.LBB0_4
.LBB0_3:
	addi	s4, s4, 1
	beq	s4, a5, .LBB0_1
.LBB0_4:
	li	s2, 0
	slli	t4, s4, 4
	addi	s0, s4, -15
	addi	s5, s4, -14
	lw	s6, 8(sp)
	add	s6, s6, t4
	j	.LBB0_6
.LBB0_5:
	vsetvli	zero, zero, e32, m8, ta, ma
	vsmul.vx	v8, v8, t3
	add	a3, s6, s2
	vsetvli	zero, zero, e16, m4, ta, ma
	vnclip.wi	v16, v8, 8
	vsetvli	zero, zero, e8, m2, ta, ma
	vnclip.wi	v8, v16, 0
	add	s2, s7, s2
	vse8.v	v8, (a3)
	bge	s2, a5, .LBB0_3
.LBB0_6:
	sub	s3, a5, s2
	slli	s8, s2, 2
	vsetvli	s7, s3, e8, m2, ta, ma
	add	s8, a2, s8
	vle32.v	v8, (s8)
	add	s10, a0, s2
	add	s8, a1, s2
	addi	s11, s8, 192
	bgeu	a4, a6, .LBB0_9
	bnez	a4, .LBB0_17
	li	s9, 1
	j	.LBB0_26
.LBB0_9:
	add	s3, s10, t5
	add	s9, s3, t4
	addi	ra, s8, 32
	bgeu	s4, a6, .LBB0_12
	bnez	s4, .LBB0_13
	add	s3, s3, t4
	addi	a3, s3, -512
	vle8.v	v20, (a3)
	vle8.v	v22, (ra)
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	j	.LBB0_14
.LBB0_12:
	addi	s3, s9, -544
	vle8.v	v20, (s3)
	vle8.v	v22, (s8)
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
.LBB0_13:
	addi	a3, s9, -528
	vsetvli	zero, zero, e8, m2, ta, ma
	vle8.v	v20, (a3)
	addi	a3, s8, 16
	vle8.v	v22, (a3)
	addi	a3, s9, -512
	vle8.v	v24, (ra)
	vle8.v	v26, (a3)
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v26, v24
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	mv	s3, s9
	bltu	s0, a7, .LBB0_15
.LBB0_14:
	addi	a3, s9, -496
	vle8.v	v20, (a3)
	addi	a3, s8, 48
	vle8.v	v22, (a3)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	mv	s9, s3
.LBB0_15:
	bltu	s5, a7, .LBB0_17
	addi	a3, s9, -480
	vle8.v	v20, (a3)
	addi	a3, s8, 64
	vle8.v	v22, (a3)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
.LBB0_17:
	add	s3, s10, s1
	add	s9, s3, t4
	addi	ra, s8, 112
	bgeu	s4, a6, .LBB0_20
	bnez	s4, .LBB0_21
	add	s3, s3, t4
	addi	a3, s3, -512
	vsetvli	zero, zero, e8, m2, ta, ma
	vle8.v	v20, (a3)
	vle8.v	v22, (ra)
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	j	.LBB0_22
.LBB0_20:
	addi	a3, s9, -544
	vsetvli	zero, zero, e8, m2, ta, ma
	vle8.v	v20, (a3)
	addi	a3, s8, 80
	vle8.v	v22, (a3)
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
.LBB0_21:
	addi	a3, s9, -528
	vsetvli	zero, zero, e8, m2, ta, ma
	vle8.v	v20, (a3)
	addi	a3, s8, 96
	vle8.v	v22, (a3)
	addi	a3, s9, -512
	vle8.v	v24, (ra)
	vle8.v	v26, (a3)
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v26, v24
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	mv	s3, s9
	bltu	s0, a7, .LBB0_23
.LBB0_22:
	addi	a3, s9, -496
	vle8.v	v20, (a3)
	addi	a3, s8, 128
	vle8.v	v22, (a3)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	mv	s9, s3
.LBB0_23:
	bltu	t2, s5, .LBB0_25
	add	a3, s10, t5
	addi	ra, a3, 512
	mv	s9, t6
	j	.LBB0_29
.LBB0_25:
	addi	a3, s9, -480
	vle8.v	v20, (a3)
	addi	a3, s8, 144
	vle8.v	v22, (a3)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	mv	s9, t6
.LBB0_26:
	add	a3, s10, t5
	addi	ra, a3, 512
	bgeu	s4, a6, .LBB0_29
	bnez	s4, .LBB0_30
	add	ra, ra, t4
	addi	a3, ra, -512
	vsetvli	zero, zero, e8, m2, ta, ma
	vle8.v	v20, (a3)
	vle8.v	v22, (s11)
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	j	.LBB0_33
.LBB0_29:
	add	a3, ra, t4
	addi	a3, a3, -544
	vsetvli	zero, zero, e8, m2, ta, ma
	vle8.v	v20, (a3)
	addi	a3, s8, 160
	vle8.v	v22, (a3)
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
.LBB0_30:
	add	ra, ra, t4
	addi	a3, s8, 176
	vsetvli	zero, zero, e8, m2, ta, ma
	vle8.v	v20, (s11)
	addi	s3, ra, -528
	vle8.v	v22, (a3)
	vle8.v	v24, (s3)
	addi	a3, ra, -512
	vle8.v	v26, (a3)
	vwmul.vv	v16, v24, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v26, v20
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	bgeu	s0, a7, .LBB0_33
	bgeu	s5, a7, .LBB0_34
.LBB0_32:
	bltu	t0, a4, .LBB0_5
	j	.LBB0_35
.LBB0_33:
	addi	a3, ra, -496
	vle8.v	v20, (a3)
	addi	a3, s8, 208
	vle8.v	v22, (a3)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	bltu	s5, a7, .LBB0_32
.LBB0_34:
	addi	a3, ra, -480
	vle8.v	v20, (a3)
	addi	a3, s8, 224
	vle8.v	v22, (a3)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	bltu	t0, a4, .LBB0_5
.LBB0_35:
	add	s10, s10, t5
	addi	s3, s10, 768
	add	s11, s3, t4
	addi	ra, s8, 272
	bgeu	s4, a6, .LBB0_38
	bnez	s4, .LBB0_39
	add	s3, s3, t4
	addi	a3, s3, -512
	vle8.v	v20, (a3)
	vle8.v	v22, (ra)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	j	.LBB0_42
.LBB0_38:
	addi	a3, s11, -544
	vle8.v	v20, (a3)
	addi	a3, s8, 240
	vle8.v	v22, (a3)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
.LBB0_39:
	addi	a3, s11, -528
	vle8.v	v20, (a3)
	addi	a3, s8, 256
	vle8.v	v22, (a3)
	addi	a3, s11, -512
	vle8.v	v24, (ra)
	vle8.v	v26, (a3)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v26, v24
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	mv	s3, s11
	bgeu	s0, a7, .LBB0_42
	bgeu	s5, a7, .LBB0_43
.LBB0_41:
	bltu	t1, a4, .LBB0_5
	j	.LBB0_44
.LBB0_42:
	addi	a3, s11, -496
	vle8.v	v20, (a3)
	addi	a3, s8, 288
	vle8.v	v22, (a3)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	mv	s11, s3
	bltu	s5, a7, .LBB0_41
.LBB0_43:
	addi	a3, s11, -480
	vle8.v	v20, (a3)
	addi	a3, s8, 304
	vle8.v	v22, (a3)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	bltu	t1, a4, .LBB0_5
.LBB0_44:
	addi	s3, s10, 1024
	add	s10, s3, t4
	addi	s11, s8, 352
	bgeu	s4, a6, .LBB0_47
	bnez	s4, .LBB0_48
	add	s3, s3, t4
	addi	a3, s3, -512
	vle8.v	v20, (a3)
	vle8.v	v22, (s11)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	j	.LBB0_49
.LBB0_47:
	addi	a3, s10, -544
	vle8.v	v20, (a3)
	addi	a3, s8, 320
	vle8.v	v22, (a3)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
.LBB0_48:
	addi	a3, s10, -528
	vle8.v	v20, (a3)
	addi	a3, s8, 336
	vle8.v	v22, (a3)
	addi	a3, s10, -512
	vle8.v	v24, (s11)
	vle8.v	v26, (a3)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v26, v24
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	mv	s3, s10
	bltu	s0, a7, .LBB0_50
.LBB0_49:
	addi	a3, s10, -496
	vle8.v	v20, (a3)
	addi	a3, s8, 368
	vle8.v	v22, (a3)
	vsetvli	zero, zero, e8, m2, ta, ma
	vwmul.vv	v16, v20, v22
	vsetvli	zero, zero, e16, m4, ta, ma
	vwadd.wv	v8, v8, v16
	mv	s10, s3
.LBB0_50:
	bltu	s5, a7, .LBB0_5
	addi	a3, s10, -480
	addi	s3, s8, 384
	vle8.v	v20, (a3)
	vle8.v	v22, (s3)
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
