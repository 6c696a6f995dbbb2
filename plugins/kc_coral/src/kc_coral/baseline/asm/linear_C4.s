# source: linear.c
# sha256: 06ac7da50817148f70fc11981f5ad681e62cd2b6e42ea91012ebd0bb124fb7ed
# compiler: ziglang 0.17.1 (clang 22.1.8)
# flags: -target riscv32-freestanding-none -mcpu=generic_rv32+m+zve32x+zvl128b-a-c-d -fno-sanitize=undefined -Wno-unused-command-line-argument -O2 -ffreestanding -fomit-frame-pointer -fno-pic -mno-relax -g0 -fno-asynchronous-unwind-tables -fno-addrsig -fno-verbose-asm -S
# macros: -DB=8 -DHI=64 -DHO=256 -DS=8 -DMUL=1717986918
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
	lui	a7, 419430
	li	a5, 256
	li	a6, 8
	addi	a7, a7, 1638
	csrwi	vxrm, 0
	j	.LBB0_2
.LBB0_1:
	addi	a4, a4, 1
	beq	a4, a6, .LBB0_10
.LBB0_2:
	li	t0, 0
	slli	t1, a4, 6
	slli	t2, a4, 8
	add	t1, a0, t1
	add	t2, a3, t2
	vsetivli	zero, 1, e32, m1, ta, ma
	j	.LBB0_4
.LBB0_3:
	add	t4, t2, t0
	addi	t0, t0, 1
	sb	t3, 0(t4)
	beq	t0, a5, .LBB0_1
.LBB0_4:
	slli	t3, t0, 2
	add	t3, a2, t3
	vle32.v	v8, (t3)
	slli	t3, t0, 6
	add	t3, a1, t3
	li	t4, 64
	mv	t5, t1
.LBB0_5:
	vsetvli	t6, t4, e8, m4, ta, ma
	vle8.v	v12, (t5)
	vle8.v	v24, (t3)
	add	t5, t5, t6
	sub	t4, t4, t6
	vwmul.vv	v16, v12, v24
	vsetvli	zero, zero, e16, m8, ta, ma
	vwredsum.vs	v8, v16, v8
	add	t3, t3, t6
	bgtz	t4, .LBB0_5
	vsetivli	zero, 1, e32, m1, ta, ma
	vsmul.vx	v8, v8, a7
	vssra.vi	v8, v8, 8
	vmv.x.s	t3, v8
	li	t4, -128
	blt	t4, t3, .LBB0_8
	li	t3, -128
.LBB0_8:
	li	t4, 127
	blt	t3, t4, .LBB0_3
	li	t3, 127
	j	.LBB0_3
.LBB0_10:
	ret
.Lfunc_end0:
	.size	kernel, .Lfunc_end0-kernel
	.cfi_endproc

	.ident	"clang version 22.1.8"
	.section	".note.GNU-stack","",@progbits
