# source: gemv.c
# sha256: 490f61e3b72852b292b2e9d1b12a8d2518756b261947adc6b560e26ebac8c4d1
# compiler: ziglang 0.17.1 (clang 22.1.8)
# flags: -target riscv32-freestanding-none -mcpu=generic_rv32+m+zve32x+zvl128b-a-c-d -fno-sanitize=undefined -Wno-unused-command-line-argument -O2 -ffreestanding -fomit-frame-pointer -fno-pic -mno-relax -g0 -fno-asynchronous-unwind-tables -fno-addrsig -fno-verbose-asm -S
# macros: -DM=64 -DN=256 -DS=10
	.attribute	4, 16
	.attribute	5, "rv32i2p1_m2p0_zicsr2p0_zmmul1p0_zve32x1p0_zvl128b1p0_zvl32b1p0_zvl64b1p0"
	.file	"gemv.c"
	.text
	.globl	kernel
	.p2align	2
	.type	kernel,@function
kernel:
	.cfi_startproc
	li	a3, 0
	vsetivli	zero, 1, e32, m1, ta, ma
	vmv.s.x	v8, zero
	li	a4, 64
	j	.LBB0_2
.LBB0_1:
	add	a6, a2, a3
	addi	a3, a3, 1
	sb	a5, 0(a6)
	beq	a3, a4, .LBB0_8
.LBB0_2:
	slli	a5, a3, 8
	add	a5, a0, a5
	li	a6, 256
	vsetivli	zero, 1, e8, m1, ta, ma
	vmv1r.v	v9, v8
	mv	a7, a1
.LBB0_3:
	mv	t0, a6
	vsetvli	t1, a6, e8, m4, ta, ma
	vle8.v	v12, (a5)
	vle8.v	v24, (a7)
	add	a5, a5, t1
	sub	a6, a6, t1
	vwmul.vv	v16, v12, v24
	vsetvli	zero, zero, e16, m8, ta, ma
	vwredsum.vs	v9, v16, v9
	add	a7, a7, t1
	bgtz	a6, .LBB0_3
	vsetvli	zero, t0, e32, m1, ta, ma
	vmv.x.s	a5, v9
	addi	a5, a5, 512
	srai	a5, a5, 10
	li	a6, -128
	blt	a6, a5, .LBB0_6
	li	a5, -128
.LBB0_6:
	li	a6, 127
	blt	a5, a6, .LBB0_1
	li	a5, 127
	j	.LBB0_1
.LBB0_8:
	ret
.Lfunc_end0:
	.size	kernel, .Lfunc_end0-kernel
	.cfi_endproc

	.ident	"clang version 22.1.8"
	.section	".note.GNU-stack","",@progbits
