# source: batch_matmul.c
# sha256: adf150037bfd1379ff96bd35e8059bb096cdb86abe5ca824307513773c808beb
# compiler: ziglang 0.17.1 (clang 22.1.8)
# flags: -target riscv32-freestanding-none -mcpu=generic_rv32+m+zve32x+zvl128b-a-c-d -fno-sanitize=undefined -Wno-unused-command-line-argument -O2 -ffreestanding -fomit-frame-pointer -fno-pic -mno-relax -g0 -fno-asynchronous-unwind-tables -fno-addrsig -fno-verbose-asm -S
# macros: -DBB=4 -DM=32 -DK=64 -DN=32 -DS=9
	.attribute	4, 16
	.attribute	5, "rv32i2p1_m2p0_zicsr2p0_zmmul1p0_zve32x1p0_zvl128b1p0_zvl32b1p0_zvl64b1p0"
	.file	"batch_matmul.c"
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
	li	a3, 0
	li	a4, 32
	li	a6, 1
	li	a5, 4
	slli	a6, a6, 11
	csrwi	vxrm, 0
	mv	a7, a0
.LBB0_1:
	li	t0, 0
	slli	t1, a3, 11
	slli	t2, a3, 10
	addi	t1, t1, 64
	add	t2, a2, t2
	mv	t3, a7
.LBB0_2:
	li	t4, 0
	slli	t5, t0, 6
	slli	t6, t0, 5
	add	t5, t1, t5
	add	t5, a0, t5
	add	t6, t2, t6
.LBB0_3:
	sub	s0, a4, t4
	vsetvli	s0, s0, e32, m8, ta, ma
	vmv.v.i	v8, 0
	add	s1, a1, t4
	mv	s2, t3
.LBB0_4:
	vsetvli	zero, zero, e16, m4, ta, ma
	vle8.v	v20, (s1)
	lb	s3, 0(s2)
	addi	s2, s2, 1
	vsext.vf2	v16, v20
	vwmacc.vx	v8, s3, v16
	addi	s1, s1, 32
	bne	s2, t5, .LBB0_4
	add	s1, t6, t4
	vnclip.wi	v16, v8, 9
	vsetvli	zero, zero, e8, m2, ta, ma
	vnclip.wi	v8, v16, 0
	add	t4, s0, t4
	vse8.v	v8, (s1)
	blt	t4, a4, .LBB0_3
	addi	t0, t0, 1
	addi	t3, t3, 64
	bne	t0, a4, .LBB0_2
	addi	a3, a3, 1
	add	a7, a7, a6
	add	a1, a1, a6
	bne	a3, a5, .LBB0_1
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
