# source: conv2d.c
# sha256: 8c54e986ed06daea234eaaf16aed777bd0ccb8baf37b7855726e324f31dfe04d
# compiler: ziglang 0.17.1 (clang 22.1.8)
# flags: -target riscv32-freestanding-none -mcpu=generic_rv32+m+zve32x+zvl128b-a-c-d -fno-sanitize=undefined -Wno-unused-command-line-argument -O2 -ffreestanding -fomit-frame-pointer -fno-pic -mno-relax -g0 -fno-asynchronous-unwind-tables -fno-addrsig -fno-verbose-asm -S
# macros: -DH=8 -DCI=32 -DCO=8 -DKS=3 -DS=10 -DMUL=1717986918
	.attribute	4, 16
	.attribute	5, "rv32i2p1_m2p0_zicsr2p0_zmmul1p0_zve32x1p0_zvl128b1p0_zvl32b1p0_zvl64b1p0"
	.file	"conv2d.c"
	.text
	.globl	kernel
	.p2align	2
	.type	kernel,@function
kernel:
	.cfi_startproc
	addi	sp, sp, -112
	.cfi_def_cfa_offset 112
	sw	ra, 108(sp)
	sw	s0, 104(sp)
	sw	s1, 100(sp)
	sw	s2, 96(sp)
	sw	s3, 92(sp)
	sw	s4, 88(sp)
	sw	s5, 84(sp)
	sw	s6, 80(sp)
	sw	s7, 76(sp)
	sw	s8, 72(sp)
	sw	s9, 68(sp)
	sw	s10, 64(sp)
	sw	s11, 60(sp)
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
	sw	a3, 8(sp)
	sw	a2, 56(sp)
	mv	s0, a0
	li	a4, 0
	addi	a2, a0, -288
	addi	s2, a0, -256
	addi	a0, a1, 256
	sw	a0, 48(sp)
	addi	s1, s0, -224
	sw	a1, 52(sp)
	addi	a0, a1, 512
	sw	a0, 44(sp)
	li	t2, 8
	li	t3, -8
	li	t4, 3
	lui	t5, 419430
	addi	t5, t5, 1638
	sw	t5, 40(sp)
	csrwi	vxrm, 0
	j	.LBB0_2
.LBB0_1:
	addi	a4, a4, 1
	lw	a2, 20(sp)
	addi	a2, a2, 256
	lw	s2, 16(sp)
	addi	s2, s2, 256
	lw	s1, 12(sp)
	addi	s1, s1, 256
	beq	a4, t2, .LBB0_17
.LBB0_2:
	li	t6, 0
	slli	a0, a4, 8
	slli	a1, a4, 6
	addi	a3, a0, -192
	sw	a3, 36(sp)
	addi	a3, a0, -224
	sw	a3, 32(sp)
	addi	a0, a0, -256
	sw	a0, 28(sp)
	lw	a0, 8(sp)
	add	a0, a0, a1
	sw	a0, 24(sp)
	sw	s1, 12(sp)
	sw	s2, 16(sp)
	sw	a2, 20(sp)
	j	.LBB0_4
.LBB0_3:
	addi	t6, t6, 1
	addi	a2, a2, 32
	addi	s2, s2, 32
	addi	s1, s1, 32
	beq	t6, t2, .LBB0_1
.LBB0_4:
	li	s7, 0
	slli	s11, t6, 5
	addi	s8, t6, -7
	slli	ra, t6, 3
	lw	s9, 36(sp)
	add	s9, s9, s11
	lw	s10, 32(sp)
	add	s10, s10, s11
	lw	a0, 28(sp)
	add	s11, a0, s11
	lw	a0, 24(sp)
	add	ra, a0, ra
	j	.LBB0_6
.LBB0_5:
	vsetvli	zero, zero, e32, m8, ta, ma
	lw	a0, 40(sp)
	vsmul.vx	v8, v8, a0
	add	a0, ra, s7
	vsetvli	zero, zero, e16, m4, ta, ma
	vnclip.wi	v16, v8, 10
	vsetvli	zero, zero, e8, m2, ta, ma
	vnclip.wi	v8, v16, 0
	add	s7, a5, s7
	vse8.v	v8, (a0)
	bge	s7, t2, .LBB0_3
.LBB0_6:
	li	a3, 0
	sub	a0, t2, s7
	slli	a1, s7, 2
	vsetvli	a5, a0, e8, m2, ta, ma
	lw	a0, 56(sp)
	add	a1, a0, a1
	vle32.v	v8, (a1)
	lw	a6, 52(sp)
	add	a6, a6, s7
	lw	a7, 48(sp)
	add	a7, a7, s7
	lw	t1, 44(sp)
	add	t1, t1, s7
	mv	s4, s1
	mv	s5, s2
	mv	s3, a2
	j	.LBB0_8
.LBB0_7:
	addi	a3, a3, 1
	addi	s3, s3, 256
	addi	a6, a6, 768
	addi	s5, s5, 256
	addi	a7, a7, 768
	addi	s4, s4, 256
	addi	t1, t1, 768
	beq	a3, t4, .LBB0_5
.LBB0_8:
	add	a0, a3, a4
	addi	a0, a0, -9
	bltu	a0, t3, .LBB0_7
	slli	a0, a3, 8
	beqz	t6, .LBB0_12
	add	t0, s11, a0
	add	t0, s0, t0
	mv	a1, a6
	mv	s6, s3
.LBB0_11:
	vsetvli	zero, zero, e16, m4, ta, ma
	vle8.v	v20, (a1)
	lb	t5, 0(s6)
	addi	s6, s6, 1
	vsext.vf2	v16, v20
	vwmacc.vx	v8, t5, v16
	addi	a1, a1, 8
	bne	s6, t0, .LBB0_11
.LBB0_12:
	add	a1, s9, a0
	add	t0, s10, a0
	add	a0, s0, a1
	add	t0, s0, t0
	mv	a1, a7
	mv	s6, s5
.LBB0_13:
	vsetvli	zero, zero, e16, m4, ta, ma
	vle8.v	v20, (a1)
	lb	t5, 0(s6)
	addi	s6, s6, 1
	vsext.vf2	v16, v20
	vwmacc.vx	v8, t5, v16
	addi	a1, a1, 8
	bne	s6, t0, .LBB0_13
	bltu	s8, t3, .LBB0_7
	mv	a1, t1
	mv	t0, s4
.LBB0_16:
	vle8.v	v20, (a1)
	lb	t5, 0(t0)
	addi	t0, t0, 1
	vsext.vf2	v16, v20
	vwmacc.vx	v8, t5, v16
	addi	a1, a1, 8
	bne	t0, a0, .LBB0_16
	j	.LBB0_7
.LBB0_17:
	lw	ra, 108(sp)
	lw	s0, 104(sp)
	lw	s1, 100(sp)
	lw	s2, 96(sp)
	lw	s3, 92(sp)
	lw	s4, 88(sp)
	lw	s5, 84(sp)
	lw	s6, 80(sp)
	lw	s7, 76(sp)
	lw	s8, 72(sp)
	lw	s9, 68(sp)
	lw	s10, 64(sp)
	lw	s11, 60(sp)
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
	addi	sp, sp, 112
	.cfi_def_cfa_offset 0
	ret
.Lfunc_end0:
	.size	kernel, .Lfunc_end0-kernel
	.cfi_endproc

	.ident	"clang version 22.1.8"
	.section	".note.GNU-stack","",@progbits
