# source: linear.c
# sha256: 06ac7da50817148f70fc11981f5ad681e62cd2b6e42ea91012ebd0bb124fb7ed
# compiler: ziglang 0.17.1 (clang 22.1.8)
# flags: -target riscv32-freestanding-none -mcpu=generic_rv32+m+zve32x+zvl128b-a-c-d -fno-sanitize=undefined -Wno-unused-command-line-argument -O2 -ffreestanding -fomit-frame-pointer -fno-pic -mno-relax -g0 -fno-asynchronous-unwind-tables -fno-addrsig -fno-verbose-asm -S
# macros: -DB=4 -DHI=256 -DHO=64 -DS=9 -DMUL=1717986918
	.attribute	4, 16
	.attribute	5, "rv32i2p1_m2p0_zicsr2p0_zmmul1p0_zve32x1p0_zvl128b1p0_zvl32b1p0_zvl64b1p0"
	.file	"linear.c"
	.text
	.globl	kernel
	.p2align	2
	.type	kernel,@function
kernel:
	.cfi_startproc
	li	a4, 0
	lui	a6, 419430
	li	a5, 64
	addi	a6, a6, 1638
	csrwi	vxrm, 0
	vsetivli	zero, 1, e32, m1, ta, ma
	j	.LBB0_2
.LBB0_1:
	add	t0, a3, a4
	addi	a4, a4, 1
	sb	a7, 0(t0)
	beq	a4, a5, .LBB0_8
.LBB0_2:
	slli	a7, a4, 2
	add	a7, a2, a7
	vle32.v	v8, (a7)
	slli	a7, a4, 8
	add	a7, a1, a7
	li	t0, 256
	mv	t1, a0
.LBB0_3:
	vsetvli	t2, t0, e8, m4, ta, ma
	vle8.v	v12, (t1)
	vle8.v	v24, (a7)
	add	t1, t1, t2
	sub	t0, t0, t2
	vwmul.vv	v16, v12, v24
	vsetvli	zero, zero, e16, m8, ta, ma
	vwredsum.vs	v8, v16, v8
	add	a7, a7, t2
	bgtz	t0, .LBB0_3
	vsetivli	zero, 1, e32, m1, ta, ma
	vsmul.vx	v8, v8, a6
	vssra.vi	v8, v8, 9
	vmv.x.s	a7, v8
	li	t0, -128
	blt	t0, a7, .LBB0_6
	li	a7, -128
.LBB0_6:
	li	t0, 127
	blt	a7, t0, .LBB0_1
	li	a7, 127
	j	.LBB0_1
.LBB0_8:
	li	a4, 0
	addi	a5, a0, 256
	lui	a6, 419430
	addi	a6, a6, 1638
	li	a7, 64
	j	.LBB0_10
.LBB0_9:
	add	t1, a3, a4
	addi	a4, a4, 1
	sb	t0, 64(t1)
	beq	a4, a7, .LBB0_16
.LBB0_10:
	slli	t0, a4, 2
	add	t0, a2, t0
	vle32.v	v8, (t0)
	slli	t0, a4, 8
	add	t0, a1, t0
	li	t1, 256
	mv	t2, a5
.LBB0_11:
	vsetvli	t3, t1, e8, m4, ta, ma
	vle8.v	v12, (t2)
	vle8.v	v24, (t0)
	add	t2, t2, t3
	sub	t1, t1, t3
	vwmul.vv	v16, v12, v24
	vsetvli	zero, zero, e16, m8, ta, ma
	vwredsum.vs	v8, v16, v8
	add	t0, t0, t3
	bgtz	t1, .LBB0_11
	vsetivli	zero, 1, e32, m1, ta, ma
	vsmul.vx	v8, v8, a6
	vssra.vi	v8, v8, 9
	vmv.x.s	t0, v8
	li	t1, -128
	blt	t1, t0, .LBB0_14
	li	t0, -128
.LBB0_14:
	li	t1, 127
	blt	t0, t1, .LBB0_9
	li	t0, 127
	j	.LBB0_9
.LBB0_16:
	li	a4, 0
	addi	a5, a0, 512
	lui	a6, 419430
	addi	a6, a6, 1638
	li	a7, 64
	j	.LBB0_18
.LBB0_17:
	add	t1, a3, a4
	addi	a4, a4, 1
	sb	t0, 128(t1)
	beq	a4, a7, .LBB0_24
.LBB0_18:
	slli	t0, a4, 2
	add	t0, a2, t0
	vle32.v	v8, (t0)
	slli	t0, a4, 8
	add	t0, a1, t0
	li	t1, 256
	mv	t2, a5
.LBB0_19:
	vsetvli	t3, t1, e8, m4, ta, ma
	vle8.v	v12, (t2)
	vle8.v	v24, (t0)
	add	t2, t2, t3
	sub	t1, t1, t3
	vwmul.vv	v16, v12, v24
	vsetvli	zero, zero, e16, m8, ta, ma
	vwredsum.vs	v8, v16, v8
	add	t0, t0, t3
	bgtz	t1, .LBB0_19
	vsetivli	zero, 1, e32, m1, ta, ma
	vsmul.vx	v8, v8, a6
	vssra.vi	v8, v8, 9
	vmv.x.s	t0, v8
	li	t1, -128
	blt	t1, t0, .LBB0_22
	li	t0, -128
.LBB0_22:
	li	t1, 127
	blt	t0, t1, .LBB0_17
	li	t0, 127
	j	.LBB0_17
.LBB0_24:
	li	a4, 0
	addi	a0, a0, 768
	lui	a5, 419430
	addi	a5, a5, 1638
	li	a6, 64
	j	.LBB0_26
.LBB0_25:
	add	t0, a3, a4
	addi	a4, a4, 1
	sb	a7, 192(t0)
	beq	a4, a6, .LBB0_32
.LBB0_26:
	slli	a7, a4, 2
	add	a7, a2, a7
	vle32.v	v8, (a7)
	slli	a7, a4, 8
	add	a7, a1, a7
	li	t0, 256
	mv	t1, a0
.LBB0_27:
	vsetvli	t2, t0, e8, m4, ta, ma
	vle8.v	v12, (t1)
	vle8.v	v24, (a7)
	add	t1, t1, t2
	sub	t0, t0, t2
	vwmul.vv	v16, v12, v24
	vsetvli	zero, zero, e16, m8, ta, ma
	vwredsum.vs	v8, v16, v8
	add	a7, a7, t2
	bgtz	t0, .LBB0_27
	vsetivli	zero, 1, e32, m1, ta, ma
	vsmul.vx	v8, v8, a5
	vssra.vi	v8, v8, 9
	vmv.x.s	a7, v8
	li	t0, -128
	blt	t0, a7, .LBB0_30
	li	a7, -128
.LBB0_30:
	li	t0, 127
	blt	a7, t0, .LBB0_25
	li	a7, 127
	j	.LBB0_25
.LBB0_32:
	ret
.Lfunc_end0:
	.size	kernel, .Lfunc_end0-kernel
	.cfi_endproc

	.ident	"clang version 22.1.8"
	.section	".note.GNU-stack","",@progbits
