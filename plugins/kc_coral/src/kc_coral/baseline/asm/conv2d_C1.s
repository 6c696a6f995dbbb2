# source: conv2d.c
# sha256: 8c54e986ed06daea234eaaf16aed777bd0ccb8baf37b7855726e324f31dfe04d
# compiler: ziglang 0.17.1 (clang 22.1.8)
# flags: -target riscv32-freestanding-none -mcpu=generic_rv32+m+zve32x+zvl128b-a-c-d -fno-sanitize=undefined -Wno-unused-command-line-argument -O2 -ffreestanding -fomit-frame-pointer -fno-pic -mno-relax -g0 -fno-asynchronous-unwind-tables -fno-addrsig -fno-verbose-asm -S
# macros: -DH=8 -DCI=4 -DCO=8 -DKS=1 -DS=6 -DMUL=1717986918
	.attribute	4, 16
	.attribute	5, "rv32i2p1_m2p0_zicsr2p0_zmmul1p0_zve32x1p0_zvl128b1p0_zvl32b1p0_zvl64b1p0"
	.file	"conv2d.c"
	.text
	.globl	kernel
	.p2align	2
	.type	kernel,@function
kernel:
	.cfi_startproc
	addi	sp, sp, -16
	.cfi_def_cfa_offset 16
	sw	s0, 12(sp)
	sw	s1, 8(sp)
	sw	s2, 4(sp)
	sw	s3, 0(sp)
	.cfi_offset s0, -4
	.cfi_offset s1, -8
	.cfi_offset s2, -12
	.cfi_offset s3, -16
	li	a4, 0
	li	a5, 8
	lui	a6, 419430
	addi	a6, a6, 1638
	csrwi	vxrm, 0
.LBB0_1:
	li	a7, 0
	slli	t0, a4, 5
	slli	t1, a4, 6
	add	t0, a0, t0
	add	t1, a3, t1
.LBB0_2:
	li	t2, 0
	slli	t3, a7, 2
	slli	t4, a7, 3
	add	t3, t0, t3
	add	t4, t1, t4
.LBB0_3:
	sub	t5, a5, t2
	slli	t6, t2, 2
	add	s0, a1, t2
	vsetvli	t5, t5, e16, m4, ta, ma
	add	t6, a2, t6
	addi	s1, s0, 8
	vle32.v	v8, (t6)
	vle8.v	v20, (s0)
	vle8.v	v22, (s1)
	lb	t6, 0(t3)
	lb	s1, 1(t3)
	lb	s2, 2(t3)
	lb	s3, 3(t3)
	vsext.vf2	v16, v20
	vwmacc.vx	v8, t6, v16
	addi	t6, s0, 16
	vle8.v	v20, (t6)
	vsext.vf2	v16, v22
	vwmacc.vx	v8, s1, v16
	addi	s0, s0, 24
	vle8.v	v22, (s0)
	vsext.vf2	v16, v20
	vwmacc.vx	v8, s2, v16
	add	t6, t4, t2
	vsext.vf2	v16, v22
	vwmacc.vx	v8, s3, v16
	vsetvli	zero, zero, e32, m8, ta, ma
	vsmul.vx	v8, v8, a6
	vsetvli	zero, zero, e16, m4, ta, ma
	vnclip.wi	v16, v8, 6
	vsetvli	zero, zero, e8, m2, ta, ma
	vnclip.wi	v8, v16, 0
	add	t2, t5, t2
	vse8.v	v8, (t6)
	blt	t2, a5, .LBB0_3
	addi	a7, a7, 1
	bne	a7, a5, .LBB0_2
	addi	a4, a4, 1
	bne	a4, a5, .LBB0_1
	lw	s0, 12(sp)
	lw	s1, 8(sp)
	lw	s2, 4(sp)
	lw	s3, 0(sp)
	.cfi_restore s0
	.cfi_restore s1
	.cfi_restore s2
	.cfi_restore s3
	addi	sp, sp, 16
	.cfi_def_cfa_offset 0
	ret
.Lfunc_end0:
	.size	kernel, .Lfunc_end0-kernel
	.cfi_endproc

	.ident	"clang version 22.1.8"
	.section	".note.GNU-stack","",@progbits
