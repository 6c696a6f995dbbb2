# source: rmsnorm.c
# sha256: 72ee2b63982c30ad4e02ba5f3789cbadc4d03b5646ec467f727fb5d2aa29993d
# compiler: ziglang 0.17.1 (clang 22.1.8)
# flags: -target riscv32-freestanding-none -mcpu=generic_rv32+m+zve32x+zvl128b-a-c-d -fno-sanitize=undefined -Wno-unused-command-line-argument -O2 -ffreestanding -fomit-frame-pointer -fno-pic -mno-relax -g0 -fno-asynchronous-unwind-tables -fno-addrsig -fno-verbose-asm -S
# macros: -DN=2048 -DL=11
	.attribute	4, 16
	.attribute	5, "rv32i2p1_m2p0_zicsr2p0_zmmul1p0_zve32x1p0_zvl128b1p0_zvl32b1p0_zvl64b1p0"
	.file	"rmsnorm.c"
	.text
	.globl	kernel
	.p2align	2
	.type	kernel,@function
kernel:
	.cfi_startproc
	li	a4, 0
	li	a3, 1
	vsetivli	zero, 1, e32, m1, ta, ma
	vmv.s.x	v8, zero
	slli	a3, a3, 11
	csrwi	vxrm, 0
.LBB0_1:
	sub	a5, a3, a4
	add	a6, a0, a4
	vsetvli	a5, a5, e16, m4, ta, ma
	vle8.v	v10, (a6)
	vsext.vf2	v12, v10
	vadd.vi	v12, v12, 0
	vwmul.vv	v16, v12, v12
	add	a4, a5, a4
	vsetvli	zero, zero, e32, m8, ta, ma
	vredsum.vs	v8, v16, v8
	blt	a4, a3, .LBB0_1
	li	a4, 0
	vmv.x.s	a5, v8
	lui	a6, 65536
	lui	a7, 16384
	lui	t0, 4096
	lui	t1, 1024
	addi	a5, a5, 1024
	addi	t2, a6, -256
	srli	a5, a5, 3
	and	a6, a5, a6
	and	t2, a5, t2
	or	a5, a6, a7
	sltu	a7, t2, a5
	addi	t3, a7, -1
	and	t3, t3, a5
	lui	a5, 256
	srli	a6, a6, 1
	xori	a7, a7, 1
	slli	a7, a7, 26
	or	a6, a7, a6
	sub	a7, t2, t3
	or	t0, a6, t0
	sltu	t2, a7, t0
	addi	t3, t2, -1
	and	t0, t3, t0
	lui	t3, 64
	srli	a6, a6, 1
	xori	t2, t2, 1
	slli	t2, t2, 24
	or	a6, t2, a6
	sub	a7, a7, t0
	or	t0, a6, t1
	srli	a6, a6, 1
	sltu	t1, a7, t0
	xori	t2, t1, 1
	addi	t1, t1, -1
	slli	t2, t2, 22
	and	t0, t1, t0
	or	a6, t2, a6
	sub	a7, a7, t0
	add	t0, a6, a5
	sltu	t1, a7, t0
	addi	t2, t1, -1
	and	t0, t2, t0
	lui	t2, 16
	srli	a6, a6, 1
	xori	t1, t1, 1
	slli	t1, t1, 20
	add	a6, t1, a6
	sub	a7, a7, t0
	add	t3, a6, t3
	sltu	t0, a7, t3
	addi	t1, t0, -1
	and	t1, t1, t3
	lui	t3, 4
	srli	a6, a6, 1
	xori	t0, t0, 1
	slli	t0, t0, 18
	add	a6, t0, a6
	sub	a7, a7, t1
	add	t2, a6, t2
	sltu	t0, a7, t2
	addi	t1, t0, -1
	and	t1, t1, t2
	lui	t2, 1
	srli	a6, a6, 1
	xori	t0, t0, 1
	slli	t0, t0, 16
	add	a6, t0, a6
	sub	a7, a7, t1
	add	t3, a6, t3
	srli	a6, a6, 1
	sltu	t0, a7, t3
	xori	t1, t0, 1
	addi	t0, t0, -1
	slli	t1, t1, 14
	and	t0, t0, t3
	add	a6, t1, a6
	sub	a7, a7, t0
	add	t2, a6, t2
	srli	a6, a6, 1
	sltu	t0, a7, t2
	xori	t1, t0, 1
	addi	t0, t0, -1
	slli	t1, t1, 12
	and	t0, t0, t2
	add	a6, t1, a6
	sub	a7, a7, t0
	addi	t0, a6, 1024
	srli	a6, a6, 1
	sltu	t1, a7, t0
	xori	t2, t1, 1
	addi	t1, t1, -1
	slli	t2, t2, 10
	and	t0, t1, t0
	add	t1, t2, a6
	sub	a7, a7, t0
	and	t0, t2, a6
	xor	a6, t2, a6
	addi	t1, t1, 256
	srli	a6, a6, 1
	sltu	t2, a7, t1
	add	a6, t0, a6
	xori	t0, t2, 1
	addi	t2, t2, -1
	slli	t0, t0, 8
	and	t1, t2, t1
	add	t2, t0, a6
	sub	a7, a7, t1
	and	t1, t0, a6
	xor	a6, t0, a6
	addi	t0, t2, 64
	srli	a6, a6, 1
	sltu	t2, a7, t0
	add	a6, t1, a6
	xori	t1, t2, 1
	addi	t2, t2, -1
	slli	t1, t1, 6
	and	t0, t2, t0
	add	t2, t1, a6
	sub	a7, a7, t0
	and	t0, t1, a6
	xor	a6, t1, a6
	addi	t2, t2, 16
	srli	a6, a6, 1
	sltu	t1, a7, t2
	add	a6, t0, a6
	xori	t0, t1, 1
	addi	t1, t1, -1
	slli	t0, t0, 4
	and	t1, t1, t2
	add	t2, t0, a6
	sub	a7, a7, t1
	and	t1, t0, a6
	xor	a6, t0, a6
	addi	t2, t2, 4
	srli	a6, a6, 1
	sltu	t0, a7, t2
	add	a6, t1, a6
	xori	t1, t0, 1
	addi	t0, t0, -1
	slli	t1, t1, 2
	and	t0, t0, t2
	add	t2, t1, a6
	sub	a7, a7, t0
	and	t0, t1, a6
	xor	a6, t1, a6
	srli	a6, a6, 1
	add	a6, t0, a6
	sltu	a7, t2, a7
	add	a6, a6, a7
	seqz	a7, a6
	add	a6, a6, a7
	divu	a5, a5, a6
	li	a6, 1
	slli	a6, a6, 11
.LBB0_3:
	sub	a7, a3, a4
	add	t0, a0, a4
	add	t1, a1, a4
	vsetvli	a7, a7, e32, m4, ta, ma
	vle8.v	v12, (t0)
	vle8.v	v16, (t1)
	add	t0, a2, a4
	vsext.vf4	v8, v12
	vsext.vf4	v12, v16
	vmul.vx	v8, v8, a5
	vssra.vi	v8, v8, 11
	vmul.vv	v8, v8, v12
	vssra.vi	v8, v8, 7
	vsetvli	zero, zero, e16, m2, ta, ma
	vnclip.wi	v12, v8, 0
	vsetvli	zero, zero, e8, m1, ta, ma
	vnclip.wi	v8, v12, 0
	add	a4, a7, a4
	vse8.v	v8, (t0)
	blt	a4, a6, .LBB0_3
	ret
.Lfunc_end0:
	.size	kernel, .Lfunc_end0-kernel
	.cfi_endproc

	.ident	"clang version 22.1.8"
	.section	".note.GNU-stack","",@progbits
