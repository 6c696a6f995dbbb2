# source: conv_block.c
# sha256: bf75f5cae1921e00df3e6bb5544a73e00af43a9b9bf3e8771792a7f948721471
# compiler: ziglang 0.17.1 (clang 22.1.8)
# flags: -target riscv32-freestanding-none -mcpu=generic_rv32+m+zve32x+zvl128b-a-c-d -fno-sanitize=undefined -Wno-unused-command-line-argument -O2 -ffreestanding -fomit-frame-pointer -fno-pic -mno-relax -g0 -fno-asynchronous-unwind-tables -fno-addrsig -fno-verbose-asm -S
# macros: -DH=8 -DCI=32 -DCO=8 -DKS=3
	.attribute	4, 16
	.attribute	5, "rv32i2p1_m2p0_zicsr2p0_zmmul1p0_zve32x1p0_zvl128b1p0_zvl32b1p0_zvl64b1p0"
	.file	"conv_block.c"
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
	sw	a5, 4(sp)
	sw	a4, 56(sp)
	sw	a3, 52(sp)
	sw	a2, 48(sp)
	mv	a4, a0
	li	a6, 0
	addi	a2, a0, -288
	addi	s2, a0, -256
	addi	a0, a1, 256
	sw	a0, 40(sp)
	addi	a5, a4, -224
	sw	a1, 44(sp)
	addi	a0, a1, 512
	sw	a0, 36(sp)
	li	a3, 8
	li	t5, -8
	li	t6, 3
	csrwi	vxrm, 0
	j	.LBB0_2
.LBB0_1:
	addi	a6, a6, 1
	lw	a2, 16(sp)
	addi	a2, a2, 256
	lw	s2, 12(sp)
	addi	s2, s2, 256
	lw	a5, 8(sp)
	addi	a5, a5, 256
	beq	a6, a3, .LBB0_17
.LBB0_2:
	li	s0, 0
	slli	a0, a6, 8
	slli	a1, a6, 6
	addi	a7, a0, -192
	sw	a7, 32(sp)
	addi	a7, a0, -224
	sw	a7, 28(sp)
	addi	a0, a0, -256
	sw	a0, 24(sp)
	lw	a0, 4(sp)
	add	a0, a0, a1
	sw	a0, 20(sp)
	sw	a5, 8(sp)
	sw	s2, 12(sp)
	sw	a2, 16(sp)
	j	.LBB0_4
.LBB0_3:
	addi	s0, s0, 1
	addi	a2, a2, 32
	addi	s2, s2, 32
	addi	a5, a5, 32
	beq	s0, a3, .LBB0_1
.LBB0_4:
	li	s8, 0
	slli	ra, s0, 5
	addi	s9, s0, -7
	slli	s4, s0, 3
	lw	s10, 32(sp)
	add	s10, s10, ra
	lw	s11, 28(sp)
	add	s11, s11, ra
	lw	a0, 24(sp)
	add	ra, a0, ra
	lw	a0, 20(sp)
	add	s4, a0, s4
	j	.LBB0_6
.LBB0_5:
	lw	a0, 52(sp)
	add	a0, a0, t0
	vsetvli	zero, zero, e32, m8, ta, ma
	vle32.v	v16, (a0)
	lw	a0, 56(sp)
	add	t0, a0, t0
	vle32.v	v24, (t0)
	vsmul.vv	v8, v8, v16
	add	a0, s4, s8
	vssra.vv	v8, v8, v24
	vmax.vx	v8, v8, zero
	vsetvli	zero, zero, e16, m4, ta, ma
	vnclip.wi	v16, v8, 0
	vsetvli	zero, zero, e8, m2, ta, ma
	vnclip.wi	v8, v16, 0
	add	s8, a7, s8
	vse8.v	v8, (a0)
	li	a3, 8
	bge	s8, a3, .LBB0_3
.LBB0_6:
	li	t2, 0
	sub	a0, a3, s8
	slli	t0, s8, 2
	vsetvli	a7, a0, e8, m2, ta, ma
	lw	a0, 48(sp)
	add	a0, a0, t0
	vle32.v	v8, (a0)
	lw	a3, 44(sp)
	add	a3, a3, s8
	lw	t1, 40(sp)
	add	t1, t1, s8
	lw	t3, 36(sp)
	add	t3, t3, s8
	mv	s5, a5
	mv	s6, s2
	mv	s3, a2
	j	.LBB0_8
.LBB0_7:
	addi	t2, t2, 1
	addi	s3, s3, 256
	addi	a3, a3, 768
	addi	s6, s6, 256
	addi	t1, t1, 768
	addi	s5, s5, 256
	addi	t3, t3, 768
	beq	t2, t6, .LBB0_5
.LBB0_8:
	add	a0, t2, a6
	addi	a0, a0, -9
	bltu	a0, t5, .LBB0_7
	slli	a0, t2, 8
	beqz	s0, .LBB0_12
	add	s1, ra, a0
	add	s1, a4, s1
	mv	a1, a3
	mv	s7, s3
.LBB0_11:
	vsetvli	zero, zero, e16, m4, ta, ma
	vle8.v	v20, (a1)
	lb	t4, 0(s7)
	addi	s7, s7, 1
	vsext.vf2	v16, v20
	vwmacc.vx	v8, t4, v16
	addi	a1, a1, 8
	bne	s7, s1, .LBB0_11
.LBB0_12:
	add	a1, s10, a0
	add	s1, s11, a0
	add	a0, a4, a1
	add	s1, a4, s1
	mv	a1, t1
	mv	s7, s6
.LBB0_13:
	vsetvli	zero, zero, e16, m4, ta, ma
	vle8.v	v20, (a1)
	lb	t4, 0(s7)
	addi	s7, s7, 1
	vsext.vf2	v16, v20
	vwmacc.vx	v8, t4, v16
	addi	a1, a1, 8
	bne	s7, s1, .LBB0_13
	bltu	s9, t5, .LBB0_7
	mv	a1, t3
	mv	s1, s5
.LBB0_16:
	vle8.v	v20, (a1)
	lb	t4, 0(s1)
	addi	s1, s1, 1
	vsext.vf2	v16, v20
	vwmacc.vx	v8, t4, v16
	addi	a1, a1, 8
	bne	s1, a0, .LBB0_16
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
