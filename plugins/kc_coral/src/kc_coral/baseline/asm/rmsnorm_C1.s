# source: rmsnorm.c
# sha256: 72ee2b63982c30ad4e02ba5f3789cbadc4d03b5646ec467f727fb5d2aa29993d
# compiler: ziglang 0.17.1 (clang 22.1.8)
# flags: -target riscv32-freestanding-none -mcpu=generic_rv32+m+zve32x+zvl128b-a-c-d -fno-sanitize=undefined -Wno-unused-command-line-argument -O2 -ffreestanding -fomit-frame-pointer -fno-pic -mno-relax -g0 -fno-asynchronous-unwind-tables -fno-addrsig -fno-verbose-asm -S
# macros: -DN=256 -DL=8
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
	li	a4, 256
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
	li	a3, 0
	vmv.x.s	a4, v8
	lui	a5, 65536
	lui	a6, 16384
	lui	a7, 4096
	addi	a4, a4, 128
	srli	t0, a4, 30
	andi	a4, a4, -256
	snez	t0, t0
	slli	t0, t0, 30
	sub	a4, a4, t0
	or	a5, t0, a5
	sltu	t1, a4, a5
	addi	t2, t1, -1
	and	a5, t2, a5
	lui	t2, 1024
	srli	t0, t0, 1
	xori	t1, t1, 1
	slli	t1, t1, 28
	or	t0, t1, t0
	sub	a5, a4, a5
	or	a4, t0, a6
	sltu	a6, a5, a4
	addi	t1, a6, -1
	and	t1, t1, a4
	lui	a4, 256
	srli	t0, t0, 1
	xori	a6, a6, 1
	slli	a6, a6, 26
	or	a6, a6, t0
	sub	a5, a5, t1
	or	a7, a6, a7
	sltu	t0, a5, a7
	addi	t1, t0, -1
	and	a7, t1, a7
	lui	t1, 64
	srli	a6, a6, 1
	xori	t0, t0, 1
	slli	t0, t0, 24
	or	a6, t0, a6
	sub	a5, a5, a7
	add	t2, a6, t2
	srli	a6, a6, 1
	sltu	a7, a5, t2
	xori	t0, a7, 1
	addi	a7, a7, -1
	slli	t0, t0, 22
	and	a7, a7, t2
	add	a6, t0, a6
	sub	a5, a5, a7
	add	a7, a6, a4
	sltu	t0, a5, a7
	addi	t2, t0, -1
	and	a7, t2, a7
	lui	t2, 16
	srli	a6, a6, 1
	xori	t0, t0, 1
	slli	t0, t0, 20
	add	a6, t0, a6
	sub	a5, a5, a7
	add	t1, a6, t1
	sltu	a7, a5, t1
	addi	t0, a7, -1
	and	t0, t0, t1
	lui	t1, 4
	srli	a6, a6, 1
	xori	a7, a7, 1
	slli	a7, a7, 18
	add	a6, a7, a6
	sub	a5, a5, t0
	add	t2, a6, t2
	sltu	a7, a5, t2
	addi	t0, a7, -1
	and	t0, t0, t2
	lui	t2, 1
	srli	a6, a6, 1
	xori	a7, a7, 1
	slli	a7, a7, 16
	add	a6, a7, a6
	sub	a5, a5, t0
	add	t1, a6, t1
	srli	a6, a6, 1
	sltu	a7, a5, t1
	xori	t0, a7, 1
	addi	a7, a7, -1
	slli	t0, t0, 14
	and	a7, a7, t1
	add	a6, t0, a6
	sub	a5, a5, a7
	add	t2, a6, t2
	srli	a6, a6, 1
	sltu	a7, a5, t2
	xori	t0, a7, 1
	addi	a7, a7, -1
	slli	t0, t0, 12
	and	a7, a7, t2
	add	t1, t0, a6
	sub	a5, a5, a7
	and	a7, t0, a6
	xor	a6, t0, a6
	addi	t0, t1, 1024
	srli	a6, a6, 1
	sltu	t1, a5, t0
	add	a6, a7, a6
	xori	a7, t1, 1
	addi	t1, t1, -1
	slli	a7, a7, 10
	and	t0, t1, t0
	add	t1, a7, a6
	sub	a5, a5, t0
	and	t0, a7, a6
	xor	a6, a7, a6
	addi	a7, t1, 256
	srli	a6, a6, 1
	sltu	t1, a5, a7
	add	a6, t0, a6
	xori	t0, t1, 1
	addi	t1, t1, -1
	slli	t0, t0, 8
	and	a7, t1, a7
	add	t1, t0, a6
	sub	a5, a5, a7
	and	a7, t0, a6
	xor	a6, t0, a6
	addi	t0, t1, 64
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
	divu	a4, a4, a5
	li	a5, 256
.LBB0_3:
	sub	a6, a5, a3
	add	a7, a0, a3
	add	t0, a1, a3
	vsetvli	a6, a6, e32, m4, ta, ma
	vle8.v	v12, (a7)
	vle8.v	v16, (t0)
	add	a7, a2, a3
	vsext.vf4	v8, v12
	vsext.vf4	v12, v16
	vmul.vx	v8, v8, a4
	vssra.vi	v8, v8, 11
	vmul.vv	v8, v8, v12
	vssra.vi	v8, v8, 7
	vsetvli	zero, zero, e16, m2, ta, ma
	vnclip.wi	v12, v8, 0
	vsetvli	zero, zero, e8, m1, ta, ma
	vnclip.wi	v8, v12, 0
	add	a3, a6, a3
	vse8.v	v8, (a7)
	blt	a3, a5, .LBB0_3
	ret
.Lfunc_end0:
	.size	kernel, .Lfunc_end0-kernel
	.cfi_endproc

	.ident	"clang version 22.1.8"
	.section	".note.GNU-stack","",@progbits
