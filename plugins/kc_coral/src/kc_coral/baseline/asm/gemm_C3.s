# source: gemm.c
# sha256: 17d458a7166639e3dab74c5fba92251254199dc86ae741af6bde8c68292daa75
# compiler: ziglang 0.17.1 (clang 22.1.8)
# flags: -target riscv32-freestanding-none -mcpu=generic_rv32+m+zve32x+zvl128b-a-c-d -fno-sanitize=undefined -Wno-unused-command-line-argument -O2 -ffreestanding -fomit-frame-pointer -fno-pic -mno-relax -g0 -fno-asynchronous-unwind-tables -fno-addrsig -fno-verbose-asm -S
# macros: -DM=64 -DK=64 -DN=64 -DS=9
	.attribute	4, 16
	.attribute	5, "rv32i2p1_m2p0_zicsr2p0_zmmul1p0_zve32x1p0_zvl128b1p0_zvl32b1p0_zvl64b1p0"
	.file	"gemm.c"
	.text
	.globl	kernel
	.p2align	2
	.type	kernel,@function
kernel:
	.cfi_startproc
	li	a3, 0
	li	a4, 64
	csrwi	vxrm, 0
	mv	a5, a0
.LBB0_1:
	li	a6, 0
	slli	t0, a3, 6
	add	a7, t0, a0
	addi	a7, a7, 64
	add	t0, a2, t0
.LBB0_2:
	sub	t1, a4, a6
	vsetvli	t1, t1, e32, m8, ta, ma
	vmv.v.i	v8, 0
	add	t2, a1, a6
	mv	t3, a5
.LBB0_3:
	vsetvli	zero, zero, e16, m4, ta, ma
	vle8.v	v20, (t2)
	lb	t4, 0(t3)
	addi	t3, t3, 1
	vsext.vf2	v16, v20
	vwmacc.vx	v8, t4, v16
	addi	t2, t2, 64
	bne	t3, a7, .LBB0_3
	add	t2, t0, a6
	vnclip.wi	v16, v8, 9
	vsetvli	zero, zero, e8, m2, ta, ma
	vnclip.wi	v8, v16, 0
	add	a6, t1, a6
	vse8.v	v8, (t2)
	blt	a6, a4, .LBB0_2
	addi	a3, a3, 1
	addi	a5, a5, 64
	bne	a3, a4, .LBB0_1
	ret
.Lfunc_end0:
	.size	kernel, .Lfunc_end0-kernel
	.cfi_endproc

	.ident	"clang version 22.1.8"
	.section	".note.GNU-stack","",@progbits
