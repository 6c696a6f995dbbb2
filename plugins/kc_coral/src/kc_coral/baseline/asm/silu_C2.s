# source: silu.c
# sha256: 61703a1fe9ea48ce6414a6a0aa155fd5da90742132cc1c451ae24aac59965550
# compiler: ziglang 0.17.1 (clang 22.1.8)
# flags: -target riscv32-freestanding-none -mcpu=generic_rv32+m+zve32x+zvl128b-a-c-d -fno-sanitize=undefined -Wno-unused-command-line-argument -O2 -ffreestanding -fomit-frame-pointer -fno-pic -mno-relax -g0 -fno-asynchronous-unwind-tables -fno-addrsig -fno-verbose-asm -S
# macros: -DN=2048
	.attribute	4, 16
	.attribute	5, "rv32i2p1_m2p0_zicsr2p0_zmmul1p0_zve32x1p0_zvl128b1p0_zvl32b1p0_zvl64b1p0"
	.file	"silu.c"
	.text
	.globl	kernel
	.p2align	2
	.type	kernel,@function
kernel:
	.cfi_startproc
	li	a3, 1
	slli	a3, a3, 11
	li	a4, -128
.LBB0_1:
	vsetvli	a5, a3, e8, m8, ta, ma
	vle8.v	v8, (a0)
	vxor.vx	v8, v8, a4
	vluxei8.v	v8, (a1), v8
	add	a0, a0, a5
	sub	a3, a3, a5
	vse8.v	v8, (a2)
	add	a2, a2, a5
	bgtz	a3, .LBB0_1
	ret
.Lfunc_end0:
	.size	kernel, .Lfunc_end0-kernel
	.cfi_endproc

	.ident	"clang version 22.1.8"
	.section	".note.GNU-stack","",@progbits
