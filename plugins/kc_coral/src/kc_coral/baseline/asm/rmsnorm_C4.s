# source: rmsnorm.c
# sha256: 72ee2b63982c30ad4e02ba5f3789cbadc4d03b5646ec467f727fb5d2aa29993d
# compiler: ziglang 0.17.1 (clang 22.1.8)
# flags: -target riscv32-freestanding-none -mcpu=generic_rv32+m+zve32x+zvl128b-a-c-d -fno-sanitize=undefined -Wno-unused-command-line-argument -O2 -ffreestanding -fomit-frame-pointer -fno-pic -mno-relax -g0 -fno-asynchronous-unwind-tables -fno-addrsig -fno-verbose-asm -S
# macros: -DN=4096 -DL=12
	.attribute	4, 16
	.attribute	5, "rv32i2p1_m2p0_zicsr2p0_zmmul1p0_zve32x1p0_zvl128b1p0_zvl32b1p0_zvl64b1p0"
	.file	"rmsnorm.c"
	.text
	.globl	kernel
	.p2align	2
	.type	kernel,@function
kernel:
	.cfi_startproc
	li	a3, 0
	vsetivli	zero, 1, e32, m1, ta, ma
	vmv.s.x	v8, zero
	lui	a4, 1
	csrwi	vxrm, 0
.LBB0_1:
	sub	a5, a4, a3
	add	a6, a0, a3
	vsetvli	a5, a5, e16, m4, ta, ma
	vle8.v	v10, (a6)
	vsext.vf2	v12, v10
	vadd.vi	v12, v12, 0
	vwmul.vv	v16, v12, v12
	add	a3, a5, a3
	vsetvli	zero, zero, e32, m8, ta, ma
	vredsum.vs	v8, v16, v8
	blt	a3, a4, .LBB0_1
	vmv.x.s	a7, v8
	lui	t0, 4096
	lui	a4, 1024
	lui	a3, 256
	lui	a5, 64
	lui	a6, 16
	addi	a7, a7, 2047
	addi	a7, a7, 1
	srli	t1, a7, 30
	srli	a7, a7, 12
	snez	t1, t1
	slli	a7, a7, 8
	slli	t1, t1, 26
	sub	a7, a7, t1
	or	t0, t1, t0
	sltu	t2, a7, t0
	addi	t3, t2, -1
	and	t0, t3, t0
	lui	t3, 4
	srli	t1, t1, 1
	xori	t2, t2, 1
	slli	t2, t2, 24
	or	t1, t2, t1
	sub	a7, a7, t0
	or	a4, t1, a4
	srli	t0, t1, 1
	sltu	t1, a7, a4
	xori	t2, t1, 1
	addi	t1, t1, -1
	slli	t2, t2, 22
	and	a4, t1, a4
	or	t0, t2, t0
	sub	a7, a7, a4
	or	a4, t0, a3
	sltu	t1, a7, a4
	addi	t2, t1, -1
	and	t2, t2, a4
	lui	a4, 1
	srli	t0, t0, 1
	xori	t1, t1, 1
	slli	t1, t1, 20
	or	t0, t1, t0
	sub	a7, a7, t2
	add	a5, t0, a5
	srli	t0, t0, 1
	sltu	t1, a7, a5
	xori	t2, t1, 1
	addi	t1, t1, -1
	slli	t2, t2, 18
	and	a5, t1, a5
	add	t0, t2, t0
	sub	a5, a7, a5
	add	a6, t0, a6
	srli	a7, t0, 1
	sltu	t0, a5, a6
	xori	t1, t0, 1
	addi	t0, t0, -1
	slli	t1, t1, 16
	and	a6, t0, a6
	add	a7, t1, a7
	sub	a5, a5, a6
	add	t3, a7, t3
	srli	a6, a7, 1
	sltu	a7, a5, t3
	xori	t0, a7, 1
	addi	a7, a7, -1
	slli	t0, t0, 14
	and	a7, a7, t3
	add	a6, t0, a6
	sub	a5, a5, a7
	add	a7, a6, a4
	srli	a6, a6, 1
	sltu	t0, a5, a7
	xori	t1, t0, 1
	addi	t0, t0, -1
	slli	t1, t1, 12
	and	a7, t0, a7
	add	a6, t1, a6
	sub	a5, a5, a7
	addi	a7, a6, 1024
	srli	a6, a6, 1
	sltu	t0, a5, a7
	xori	t1, t0, 1
	addi	t0, t0, -1
	slli	t1, t1, 10
	and	a7, t0, a7
	add	a6, t1, a6
	sub	a5, a5, a7
	addi	a7, a6, 256
	srli	a6, a6, 1
	sltu	t0, a5, a7
	xori	t1, t0, 1
	addi	t0, t0, -1
	slli	t1, t1, 8
	and	a7, t0, a7
	add	t0, t1, a6
	sub	a5, a5, a7
	and	a7, t1, a6
	xor	a6, t1, a6
	addi	t0, t0, 64
	srli	a6, a6, 1
	sltu	t1, a5, t0
	add	a6, a7, a6
	xori	a7, t1, 1
	addi	t1, t1, -1
	slli	a7, a7, 6
	and	t0, t1, t0
	add	t1, a7, a6
	sub	a5, a5, t0
	and	t0, a7, a6
	xor	a6, a7, a6
	addi	t1, t1, 16
	srli	a6, a6, 1
	sltu	a7, a5, t1
	add	a6, t0, a6
	xori	t0, a7, 1
	addi	a7, a7, -1
	slli	t0, t0, 4
	and	a7, a7, t1
	add	t1, t0, a6
	sub	a5, a5, a7
	and	a7, t0, a6
	xor	a6, t0, a6
	addi	t1, t1, 4
	srli	a6, a6, 1
	sltu	t0, a5, t1
	add	a6, a7, a6
	xori	a7, t0, 1
	addi	t0, t0, -1
	slli	a7, a7, 2
	and	t0, t0, t1
	add	t1, a7, a6
	sub	a5, a5, t0
	and	t0, a7, a6
	xor	a6, a7, a6
	srli	a6, a6, 1
	add	a6, t0, a6
	sltu	a5, t1, a5
	add	a5, a6, a5
	seqz	a6, a5
	add	a5, a5, a6
	divu	a3, a3, a5
	li	a5, 0
.LBB0_3:
	sub	a6, a4, a5
	add	a7, a0, a5
	add	t0, a1, a5
	vsetvli	a6, a6, e32, m4, ta, ma
	vle8.v	v12, (a7)
	vle8.v	v16, (t0)
	add	a7, a2, a5
	vsext.vf4	v8, v12
	vsext.vf4	v12, v16
	vmul.vx	v8, v8, a3
	vssra.vi	v8, v8, 11
	vmul.vv	v8, v8, v12
	vssra.vi	v8, v8, 7
	vsetvli	zero, zero, e16, m2, ta, ma
	vnclip.wi	v12, v8, 0
	vsetvli	zero, zero, e8, m1, ta, ma
	vnclip.wi	v8, v12, 0
	add	a5, a6, a5
	vse8.v	v8, (a7)
	blt	a5, a4, .LBB0_3
	ret
.Lfunc_end0:
	.size	kernel, .Lfunc_end0-kernel
	.cfi_endproc

	.ident	"clang version 22.1.8"
	.section	".note.GNU-stack","",@progbits
