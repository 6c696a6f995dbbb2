# source: conv_block.c
# sha256: bf75f5cae1921e00df3e6bb5544a73e00af43a9b9bf3e8771792a7f948721471
# compiler: ziglang 0.17.1 (clang 22.1.8)
# flags: -target riscv32-freestanding-none -mcpu=generic_rv32+m+zve32x+zvl128b-a-c-d -fno-sanitize=undefined -Wno-unused-command-line-argument -O2 -ffreestanding -fomit-frame-pointer -fno-pic -mno-relax -g0 -fno-asynchronous-unwind-tables -fno-addrsig -fno-verbose-asm -S
# macros: -DH=8 -DCI=4 -DCO=8 -DKS=1
	.attribute	4, 16
	.attribute	5, "rv32i2p1_m2p0_zicsr2p0_zmmul1p0_zve32x1p0_zvl128b1p0_zvl32b1p0_zvl64b1p0"
	.file	"conv_block.c"
	.text
	.globl	kernel
	.p2align	2
	.type	kernel,@function
kernel:
	.cfi_startproc
	addi	sp, sp, -32
	.cfi_def_cfa_offset 32
	sw	s0, 28(sp)
	sw	s1, 24(sp)
	sw	s2, 20(sp)
	sw	s3, 16(sp)
	sw	s4, 12(sp)
	.cfi_offset s0, -4
	.cfi_offset s1, -8
	.cfi_offset s2, -12
	.cfi_offset s3, -16
	.cfi_offset s4, -20
	li	a6, 0
	li	a7, 8
	csrwi	vxrm, 0
.LBB0_1:
	li	t0, 0
	slli	t1, a6, 5
	slli	t2, a6, 6
	add	t1, a0, t1
	add	t2, a5, t2
.LBB0_2:
	li	t3, 0
	slli	t4, t0, 2
	slli	t5, t0, 3
	add	t4, t1, t4
	add	t5, t2, t5
.LBB0_3:
	sub	t6, a7, t3
	slli	s0, t3, 2
	add	s1, a1, t3
	vsetvli	t6, t6, e16, m4, ta, ma
	add	s2, a2, s0
	addi	s3, s1, 8
	addi	s4, s1, 16
	vle32.v	v8, (s2)
	addi	s2, s1, 24
	vle8.v	v28, (s1)
	add	s1, a3, s0
	vle8.v	v30, (s3)
	vle8.v	v6, (s4)
	vle8.v	v2, (s2)
	vle32.v	v16, (s1)
	lb	s1, 0(t4)
	lb	s2, 1(t4)
	lb	s3, 2(t4)
	lb	s4, 3(t4)
	vsext.vf2	v24, v28
	vwmacc.vx	v8, s1, v24
	vsext.vf2	v24, v30
	vwmacc.vx	v8, s2, v24
	add	s0, a4, s0
	vsext.vf2	v24, v6
	vwmacc.vx	v8, s3, v24
	vle32.v	v24, (s0)
	vsext.vf2	v4, v2
	vwmacc.vx	v8, s4, v4
	vsetvli	zero, zero, e32, m8, ta, ma
	vsmul.vv	v8, v8, v16
	add	s0, t5, t3
	vssra.vv	v8, v8, v24
	vmax.vx	v8, v8, zero
	vsetvli	zero, zero, e16, m4, ta, ma
	vnclip.wi	v16, v8, 0
	vsetvli	zero, zero, e8, m2, ta, ma
	vnclip.wi	v8, v16, 0
	add	t3, t6, t3
	vse8.v	v8, (s0)
	blt	t3, a7, .LBB0_3
	addi	t0, t0, 1
	bne	t0, a7, .LBB0_2
	addi	a6, a6, 1
	bne	a6, a7, .LBB0_1
	lw	s0, 28(sp)
	lw	s1, 24(sp)
	lw	s2, 20(sp)
	lw	s3, 16(sp)
	lw	s4, 12(sp)
	.cfi_restore s0
	.cfi_restore s1
	.cfi_restore s2
	.cfi_restore s3
	.cfi_restore s4
	addi	sp, sp, 32
	.cfi_def_cfa_offset 0
	ret
.Lfunc_end0:
	.size	kernel, .Lfunc_end0-kernel
	.cfi_endproc

	.ident	"clang version 22.1.8"
	.section	".note.GNU-stack","",@progbits
