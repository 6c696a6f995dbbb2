# source: batch_matmul.c
# sha256: adf150037bfd1379ff96bd35e8059bb096cdb86abe5ca824307513773c808beb
# compiler: ziglang 0.17.1 (clang 22.1.8)
# flags: -target riscv32-freestanding-none -mcpu=generic_rv32+m+zve32x+zvl128b-a-c-d -fno-sanitize=undefined -Wno-unused-command-line-argument -O2 -ffreestanding -fomit-frame-pointer -fno-pic -mno-relax -g0 -fno-asynchronous-unwind-tables -fno-addrsig -fno-verbose-asm -S
# macros: -DBB=4 -DM=32 -DK=32 -DN=32 -DS=9
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
	.cfi_offset s0, -4
	.cfi_offset s1, -8
	li	a4, 0
	addi	a3, a0, 2047
	li	a5, 32
	addi	a3, a3, 1
	csrwi	vxrm, 0
	mv	a6, a0
.LBB0_1:
	li	a7, 0
	slli	t1, a4, 5
	add	t0, t1, a0
	addi	t0, t0, 32
	add	t1, a2, t1
.LBB0_2:
	sub	t2, a5, a7
	vsetvli	t2, t2, e32, m8, ta, ma
	vmv.v.i	v8, 0
	add	t3, a1, a7
	mv	t4, a6
.LBB0_3:
	vsetvli	zero, zero, e16, m4, ta, ma
	vle8.v	v20, (t3)
	lb	t5, 0(t4)
	addi	t4, t4, 1
	vsext.vf2	v16, v20
	vwmacc.vx	v8, t5, v16
	addi	t3, t3, 32
	bne	t4, t0, .LBB0_3
	add	t3, t1, a7
	vnclip.wi	v16, v8, 9
	vsetvli	zero, zero, e8, m2, ta, ma
	vnclip.wi	v8, v16, 0
	add	a7, t2, a7
	vse8.v	v8, (t3)
	blt	a7, a5, .LBB0_2
	addi	a4, a4, 1
	addi	a6, a6, 32
	bne	a4, a5, .LBB0_1
	li	a4, 0
	addi	a5, a0, 1024
	addi	a6, a1, 1024
	addi	a7, a2, 1024
	li	t0, 32
.LBB0_7:
	li	t1, 0
	slli	t3, a4, 5
	add	t2, t3, a0
	addi	t2, t2, 1056
	add	t3, a7, t3
.LBB0_8:
	sub	t4, t0, t1
	vsetvli	t4, t4, e32, m8, ta, ma
	vmv.v.i	v8, 0
	add	t5, a6, t1
	mv	t6, a5
.LBB0_9:
	vsetvli	zero, zero, e16, m4, ta, ma
	vle8.v	v20, (t5)
	lb	s0, 0(t6)
	addi	t6, t6, 1
	vsext.vf2	v16, v20
	vwmacc.vx	v8, s0, v16
	addi	t5, t5, 32
	bne	t6, t2, .LBB0_9
	add	t5, t3, t1
	vnclip.wi	v16, v8, 9
	vsetvli	zero, zero, e8, m2, ta, ma
	vnclip.wi	v8, v16, 0
	add	t1, t4, t1
	vse8.v	v8, (t5)
	blt	t1, t0, .LBB0_8
	addi	a4, a4, 1
	addi	a5, a5, 32
	bne	a4, t0, .LBB0_7
	li	a5, 0
	lui	a4, 1
	li	a6, 1
	addi	a4, a4, -2016
	slli	a7, a6, 11
	add	a6, a1, a7
	add	a7, a2, a7
	li	t0, 32
	mv	t1, a3
.LBB0_13:
	li	t2, 0
	slli	t4, a5, 5
	add	t3, t4, a4
	add	t3, a0, t3
	add	t4, a7, t4
.LBB0_14:
	sub	t5, t0, t2
	vsetvli	t5, t5, e32, m8, ta, ma
	vmv.v.i	v8, 0
	add	t6, a6, t2
	mv	s0, t1
.LBB0_15:
	vsetvli	zero, zero, e16, m4, ta, ma
	vle8.v	v20, (t6)
	lb	s1, 0(s0)
	addi	s0, s0, 1
	vsext.vf2	v16, v20
	vwmacc.vx	v8, s1, v16
	addi	t6, t6, 32
	bne	s0, t3, .LBB0_15
	add	t6, t4, t2
	vnclip.wi	v16, v8, 9
	vsetvli	zero, zero, e8, m2, ta, ma
	vnclip.wi	v8, v16, 0
	add	t2, t5, t2
	vse8.v	v8, (t6)
	blt	t2, t0, .LBB0_14
	addi	a5, a5, 1
	addi	t1, t1, 32
	bne	a5, t0, .LBB0_13
	li	a5, 0
	addi	a3, a3, 1024
	li	a6, 3
	slli	a6, a6, 10
	add	a1, a1, a6
	add	a2, a2, a6
	li	a6, 32
.LBB0_19:
	li	a7, 0
	slli	t1, a5, 5
	add	t0, a4, t1
	add	t0, t0, a0
	addi	t0, t0, 1024
	add	t1, a2, t1
.LBB0_20:
	sub	t2, a6, a7
	vsetvli	t2, t2, e32, m8, ta, ma
	vmv.v.i	v8, 0
	add	t3, a1, a7
	mv	t4, a3
.LBB0_21:
	vsetvli	zero, zero, e16, m4, ta, ma
	vle8.v	v20, (t3)
	lb	t5, 0(t4)
	addi	t4, t4, 1
	vsext.vf2	v16, v20
	vwmacc.vx	v8, t5, v16
	addi	t3, t3, 32
	bne	t4, t0, .LBB0_21
	add	t3, t1, a7
	vnclip.wi	v16, v8, 9
	vsetvli	zero, zero, e8, m2, ta, ma
	vnclip.wi	v8, v16, 0
	add	a7, t2, a7
	vse8.v	v8, (t3)
	blt	a7, a6, .LBB0_20
	addi	a5, a5, 1
	addi	a3, a3, 32
	bne	a5, a6, .LBB0_19
	lw	s0, 12(sp)
	lw	s1, 8(sp)
	.cfi_restore s0
	.cfi_restore s1
	addi	sp, sp, 16
	.cfi_def_cfa_offset 0
	ret
.Lfunc_end0:
	.size	kernel, .Lfunc_end0-kernel
	.cfi_endproc

	.ident	"clang version 22.1.8"
	.section	".note.GNU-stack","",@progbits
