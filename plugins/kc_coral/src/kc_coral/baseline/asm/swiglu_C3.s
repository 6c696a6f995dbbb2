# source: swiglu.c
# sha256: d59b7f6164fbc4082abf6b8c35b3c45e064cca3e7128a11967bcccef3ca1abd3
# compiler: ziglang 0.17.1 (clang 22.1.8)
# flags: -target riscv32-freestanding-none -mcpu=generic_rv32+m+zve32x+zvl128b-a-c-d -fno-sanitize=undefined -Wno-unused-command-line-argument -O2 -ffreestanding -fomit-frame-pointer -fno-pic -mno-relax -g0 -fno-asynchronous-unwind-tables -fno-addrsig -fno-verbose-asm -S
# macros: -DN=4 -DH=64 -DHI=128 -DS1=8 -DS2=9 -DMUL=1717986918
	.attribute	4, 16
	.attribute	5, "rv32i2p1_m2p0_zicsr2p0_zmmul1p0_zve32x1p0_zvl128b1p0_zvl32b1p0_zvl64b1p0"
	.file	"swiglu.c"
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
	vsetivli	zero, 1, e32, m1, ta, ma
	vmv.s.x	v8, zero
	lui	t3, 419430
	lui	a7, %hi(hidden)
	addi	a7, a7, %lo(hidden)
	li	t0, 128
	li	t1, 64
	li	t2, 4
	addi	t3, t3, 1638
	csrwi	vxrm, 0
	j	.LBB0_2
.LBB0_1:
	addi	a6, a6, 1
	beq	a6, t2, .LBB0_26
.LBB0_2:
	li	t5, 0
	slli	t4, a6, 6
	add	t6, a0, t4
	j	.LBB0_4
.LBB0_3:
	add	s1, a7, t5
	addi	t5, t5, 1
	sb	s0, 0(s1)
	beq	t5, t0, .LBB0_18
.LBB0_4:
	slli	s0, t5, 6
	add	s1, a1, s0
	li	s2, 64
	vmv1r.v	v9, v8
	mv	s3, t6
.LBB0_5:
	vsetvli	s4, s2, e8, m4, ta, ma
	vle8.v	v12, (s3)
	vle8.v	v24, (s1)
	add	s3, s3, s4
	sub	s2, s2, s4
	vwmul.vv	v16, v12, v24
	vsetvli	zero, zero, e16, m8, ta, ma
	vwredsum.vs	v9, v16, v9
	add	s1, s1, s4
	bgtz	s2, .LBB0_5
	vsetivli	zero, 1, e32, m1, ta, ma
	vsmul.vx	v9, v9, t3
	vssra.vi	v9, v9, 8
	vmv.x.s	s1, v9
	li	s2, -128
	blt	s2, s1, .LBB0_8
	li	s1, -128
.LBB0_8:
	li	s2, 127
	blt	s1, s2, .LBB0_10
	li	s1, 127
.LBB0_10:
	add	s1, a4, s1
	lb	s1, 128(s1)
	add	s0, a2, s0
	li	s2, 64
	vmv1r.v	v9, v8
	mv	s3, t6
.LBB0_11:
	vsetvli	s4, s2, e8, m4, ta, ma
	vle8.v	v12, (s3)
	vle8.v	v24, (s0)
	add	s3, s3, s4
	sub	s2, s2, s4
	vwmul.vv	v16, v12, v24
	vsetvli	zero, zero, e16, m8, ta, ma
	vwredsum.vs	v9, v16, v9
	add	s0, s0, s4
	bgtz	s2, .LBB0_11
	vsetivli	zero, 1, e32, m1, ta, ma
	vsmul.vx	v9, v9, t3
	vssra.vi	v9, v9, 8
	vmv.x.s	s0, v9
	li	s2, -128
	blt	s2, s0, .LBB0_14
	li	s0, -128
.LBB0_14:
	li	s2, 127
	blt	s0, s2, .LBB0_16
	li	s0, 127
.LBB0_16:
	mul	s0, s0, s1
	addi	s0, s0, 64
	srai	s0, s0, 7
	blt	s0, s2, .LBB0_3
	li	s0, 127
	j	.LBB0_3
.LBB0_18:
	li	t5, 0
	add	t4, a5, t4
	j	.LBB0_20
.LBB0_19:
	add	s0, t4, t5
	addi	t5, t5, 1
	sb	t6, 0(s0)
	beq	t5, t1, .LBB0_1
.LBB0_20:
	slli	t6, t5, 7
	add	t6, a3, t6
	li	s0, 128
	vmv1r.v	v9, v8
	mv	s1, a7
.LBB0_21:
	vsetvli	s2, s0, e8, m4, ta, ma
	vle8.v	v12, (s1)
	vle8.v	v24, (t6)
	add	s1, s1, s2
	sub	s0, s0, s2
	vwmul.vv	v16, v12, v24
	vsetvli	zero, zero, e16, m8, ta, ma
	vwredsum.vs	v9, v16, v9
	add	t6, t6, s2
	bgtz	s0, .LBB0_21
	vsetivli	zero, 1, e32, m1, ta, ma
	vsmul.vx	v9, v9, t3
	vssra.vi	v9, v9, 9
	vmv.x.s	t6, v9
	li	s0, -128
	blt	s0, t6, .LBB0_24
	li	t6, -128
.LBB0_24:
	li	s0, 127
	blt	t6, s0, .LBB0_19
	li	t6, 127
	j	.LBB0_19
.LBB0_26:
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
