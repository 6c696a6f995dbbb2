# source: batch_matmul.c
# sha256: adf150037bfd1379ff96bd35e8059bb096cdb86abe5ca824307513773c808beb
# compiler: ziglang 0.17.1 (clang 22.1.8)
# flags: -target riscv32-freestanding-none -mcpu=generic_rv32+m+zve32x+zvl128b-a-c-d -fno-sanitize=undefined -Wno-unused-command-line-argument -O2 -ffreestanding -fomit-frame-pointer -fno-pic -mno-relax -g0 -fno-asynchronous-unwind-tables -fno-addrsig -fno-verbose-asm -S
# macros: -DBB=2 -DM=32 -DK=64 -DN=64 -DS=9
	.attribute	4, 16
	.attribute	5, "rv32i2p1_m2p0_zicsr2p0_zmmul1p0_zve32x1p0_zvl128b1p0_zvl32b1p0_zvl64b1p0"
	.file	"batch_matmul.c"
	.text
	.globl	kernel
	.p2align	2
	.type	kernel,@function
kernel:
	.cfi_startproc
	li	a3, 0
	li	a4, 64
	li	a5, 32
	csrwi	vxrm, 0
	mv	a6, a0
.LBB0_1:
	li	a7, 0
	slli	t1, a3, 6
	add	t0, t1, a0
	addi	t0, t0, 64
	add	t1, a2, t1
.LBB0_2:
	sub	t2, a4, a7
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
	addi	t3, t3, 64
	bne	t4, t0, .LBB0_3
	add	t3, t1, a7
	vnclip.wi	v16, v8, 9
	vsetvli	zero, zero, e8, m2, ta, ma
	vnclip.wi	v8, v16, 0
	add	a7, t2, a7
	vse8.v	v8, (t3)
	blt	a7, a4, .LBB0_2
	addi	a3, a3, 1
	addi	a6, a6, 64
	bne	a3, a5, .LBB0_1
	li	a3, 0
	li	a5, 1
	lui	a6, 1
	li	a4, 64
	slli	a7, a5, 11
	add	a1, a1, a6
	add	a5, a0, a7
	add	a2, a2, a7
	li	a6, 32
.LBB0_7:
	li	a7, 0
	slli	t1, a3, 6
	add	t0, t1, a0
	addi	t0, t0, 2047
	addi	t0, t0, 65
	add	t1, a2, t1
.LBB0_8:
	sub	t2, a4, a7
	vsetvli	t2, t2, e32, m8, ta, ma
	vmv.v.i	v8, 0
	add	t3, a1, a7
	mv	t4, a5
.LBB0_9:
	vsetvli	zero, zero, e16, m4, ta, ma
	vle8.v	v20, (t3)
	lb	t5, 0(t4)
	addi	t4, t4, 1
	vsext.vf2	v16, v20
	vwmacc.vx	v8, t5, v16
	addi	t3, t3, 64
	bne	t4, t0, .LBB0_9
	add	t3, t1, a7
	vnclip.wi	v16, v8, 9
	vsetvli	zero, zero, e8, m2, ta, ma
	vnclip.wi	v8, v16, 0
	add	a7, t2, a7
	vse8.v	v8, (t3)
	blt	a7, a4, .LBB0_8
	addi	a3, a3, 1
	addi	a5, a5, 64
	bne	a3, a6, .LBB0_7
	ret
.Lfunc_end0:
	.size	kernel, .Lfunc_end0-kernel
	.cfi_endproc

	.ident	"clang version 22.1.8"
	.section	".note.GNU-stack","",@progbits
