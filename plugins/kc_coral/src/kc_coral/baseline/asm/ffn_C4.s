# source: ffn.c
# sha256: 68b9b90e0a0e4562c7275e19e3198351b256c4c4ab65fa6c18a83969632970cc
# compiler: ziglang 0.17.1 (clang 22.1.8)
# flags: -target riscv32-freestanding-none -mcpu=generic_rv32+m+zve32x+zvl128b-a-c-d -fno-sanitize=undefined -Wno-unused-command-line-argument -O2 -ffreestanding -fomit-frame-pointer -fno-pic -mno-relax -g0 -fno-asynchronous-unwind-tables -fno-addrsig -fno-verbose-asm -S
# macros: -DN=8 -DH=64 -DHI=128 -DS1=8 -DS2=9 -DMUL=1717986918
	.attribute	4, 16
	.attribute	5, "rv32i2p1_m2p0_zicsr2p0_zmmul1p0_zve32x1p0_zvl128b1p0_zvl32b1p0_zvl64b1p0"
	.file	"ffn.c"
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
	li	a7, 0
	lui	t4, 419430
	lui	t0, %hi(hidden)
	addi	t0, t0, %lo(hidden)
	li	t1, 128
	li	t2, 64
	li	t3, 8
	addi	t4, t4, 1638
	csrwi	vxrm, 0
	j	.LBB0_2
.LBB0_1:
	addi	a7, a7, 1
	beq	a7, t3, .LBB0_18
.LBB0_2:
	li	t6, 0
	slli	t5, a7, 6
	add	s0, a0, t5
	vsetivli	zero, 1, e32, m1, ta, ma
	j	.LBB0_4
.LBB0_3:
	add	s1, a5, s1
	lbu	s1, 128(s1)
	add	s2, t0, t6
	addi	t6, t6, 1
	sb	s1, 0(s2)
	beq	t6, t1, .LBB0_10
.LBB0_4:
	slli	s1, t6, 2
	add	s1, a2, s1
	vle32.v	v8, (s1)
	slli	s1, t6, 6
	add	s1, a1, s1
	li	s2, 64
	mv	s3, s0
.LBB0_5:
	vsetvli	s4, s2, e8, m4, ta, ma
	vle8.v	v12, (s3)
	vle8.v	v24, (s1)
	add	s3, s3, s4
	sub	s2, s2, s4
	vwmul.vv	v16, v12, v24
	vsetvli	zero, zero, e16, m8, ta, ma
	vwredsum.vs	v8, v16, v8
	add	s1, s1, s4
	bgtz	s2, .LBB0_5
	vsetivli	zero, 1, e32, m1, ta, ma
	vsmul.vx	v8, v8, t4
	vssra.vi	v8, v8, 8
	vmv.x.s	s1, v8
	li	s2, -128
	blt	s2, s1, .LBB0_8
	li	s1, -128
.LBB0_8:
	li	s2, 127
	blt	s1, s2, .LBB0_3
	li	s1, 127
	j	.LBB0_3
.LBB0_10:
	li	t6, 0
	add	t5, a6, t5
	j	.LBB0_12
.LBB0_11:
	add	s1, t5, t6
	addi	t6, t6, 1
	sb	s0, 0(s1)
	beq	t6, t2, .LBB0_1
.LBB0_12:
	slli	s0, t6, 2
	add	s0, a4, s0
	vle32.v	v8, (s0)
	slli	s0, t6, 7
	add	s0, a3, s0
	li	s1, 128
	mv	s2, t0
.LBB0_13:
	vsetvli	s3, s1, e8, m4, ta, ma
	vle8.v	v12, (s2)
	vle8.v	v24, (s0)
	add	s2, s2, s3
	sub	s1, s1, s3
	vwmul.vv	v16, v12, v24
	vsetvli	zero, zero, e16, m8, ta, ma
	vwredsum.vs	v8, v16, v8
	add	s0, s0, s3
	bgtz	s1, .LBB0_13
	vsetivli	zero, 1, e32, m1, ta, ma
	vsmul.vx	v8, v8, t4
	vssra.vi	v8, v8, 9
	vmv.x.s	s0, v8
	li	s1, -128
	blt	s1, s0, .LBB0_16
	li	s0, -128
.LBB0_16:
	li	s1, 127
	blt	s0, s1, .LBB0_11
	li	s0, 127
	j	.LBB0_11
.LBB0_18:
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

	.type	hidden,@object
	.local	hidden
	.comm	hidden,128,1
	.ident	"clang version 22.1.8"
	.section	".note.GNU-stack","",@progbits
