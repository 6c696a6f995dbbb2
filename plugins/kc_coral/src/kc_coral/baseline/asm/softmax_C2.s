# source: softmax.c
# sha256: 870a109bb2e3192b7436a6dc679dc96162c141e2c66d6c2b9779b42607e647ff
# compiler: ziglang 0.17.1 (clang 22.1.8)
# flags: -target riscv32-freestanding-none -mcpu=generic_rv32+m+zve32x+zvl128b-a-c-d -fno-sanitize=undefined -Wno-unused-command-line-argument -O2 -ffreestanding -fomit-frame-pointer -fno-pic -mno-relax -g0 -fno-asynchronous-unwind-tables -fno-addrsig -fno-verbose-asm -S
# macros: -DN=512 -DR=8
	.attribute	4, 16
	.attribute	5, "rv32i2p1_m2p0_zicsr2p0_zmmul1p0_zve32x1p0_zvl128b1p0_zvl32b1p0_zvl64b1p0"
	.file	"softmax.c"
	.text
	.globl	kernel
	.p2align	2
	.type	kernel,@function
kernel:
	.cfi_startproc
	li	a3, 0
	li	a4, -128
	vsetivli	zero, 1, e32, m1, ta, ma
	vmv.s.x	v8, zero
	li	a5, 64
	lui	a6, %hi(terms)
	addi	a6, a6, %lo(terms)
	li	a7, 255
	vmv.s.x	v9, a4
	li	t0, 8
.LBB0_1:
	li	t1, 0
	vsetivli	zero, 1, e8, m1, ta, ma
	vmv1r.v	v10, v9
.LBB0_2:
	sub	t2, a5, t1
	vsetvli	t2, t2, e8, m4, ta, ma
	add	t3, a0, t1
	vle8.v	v12, (t3)
	add	t1, t2, t1
	vredmax.vs	v10, v12, v10
	blt	t1, a5, .LBB0_2
	li	t1, 0
	vmv.x.s	t2, v10
	vmv1r.v	v10, v8
.LBB0_4:
	sub	t3, a5, t1
	add	t4, a0, t1
	vsetvli	t3, t3, e8, m2, ta, ma
	vle8.v	v12, (t4)
	vrsub.vx	v16, v12, t2
	vwaddu.vv	v12, v16, v16
	vsetvli	zero, zero, e16, m4, ta, ma
	vluxei16.v	v12, (a1), v12
	slli	t4, t1, 1
	add	t4, a6, t4
	add	t1, t3, t1
	vse16.v	v12, (t4)
	vwredsumu.vs	v10, v12, v10
	blt	t1, a5, .LBB0_4
	li	t1, 0
	vsetvli	zero, zero, e32, m8, ta, ma
	vmv.x.s	t2, v10
	srli	t3, t2, 1
.LBB0_6:
	sub	t4, a5, t1
	slli	t5, t1, 1
	vsetvli	t4, t4, e16, m4, ta, ma
	add	t5, a6, t5
	vle16.v	v12, (t5)
	vwmulu.vx	v16, v12, a7
	vsetvli	zero, zero, e32, m8, ta, ma
	vadd.vx	v16, v16, t3
	vdivu.vx	v16, v16, t2
	add	t5, a2, t1
	vsetvli	zero, zero, e16, m4, ta, ma
	vnsrl.wi	v12, v16, 0
	vsetvli	zero, zero, e8, m2, ta, ma
	vnsrl.wi	v10, v12, 0
	vxor.vx	v10, v10, a4
	add	t1, t4, t1
	vse8.v	v10, (t5)
	blt	t1, a5, .LBB0_6
	addi	a0, a0, 64
	addi	a3, a3, 1
	addi	a2, a2, 64
	bne	a3, t0, .LBB0_1
	ret
.Lfunc_end0:
	.size	kernel, .Lfunc_end0-kernel
	.cfi_endproc

	.type	terms,@object
	.local	terms
	.comm	terms,128,2
	.ident	"clang version 22.1.8"
	.section	".note.GNU-stack","",@progbits
