# source: layernorm.c
# sha256: 59aae77aa6d99a2145944fb1c2135f64a0870ee181ed6bf74a87f227a89d0a98
# compiler: ziglang 0.17.1 (clang 22.1.8)
# flags: -target riscv32-freestanding-none -mcpu=generic_rv32+m+zve32x+zvl128b-a-c-d -fno-sanitize=undefined -Wno-unused-command-line-argument -O2 -ffreestanding -fomit-frame-pointer -fno-pic -mno-relax -g0 -fno-asynchronous-unwind-tables -fno-addrsig -fno-verbose-asm -S
# macros: -DN=512 -DL=9
	.attribute	4, 16
	.attribute	5, "rv32i2p1_m2p0_zicsr2p0_zmmul1p0_zve32x1p0_zvl128b1p0_zvl32b1p0_zvl64b1p0"
	.file	"layernorm.c"
	.text
	.globl	kernel
	.p2align	2
	.type	kernel,@function
kernel:
	.cfi_startproc
	li	a4, 0
	vsetivli	zero, 1, e32, m1, ta, ma
	vmv.s.x	v8, zero
	li	a5, 512
	csrwi	vxrm, 0
	vmv.v.v	v9, v8
.LBB0_1:
	sub	a6, a5, a4
	add	a7, a0, a4
	vsetvli	t0, a6, e16, m8, ta, ma
	vle8.v	v12, (a7)
	vsext.vf2	v16, v12
	add	a4, t0, a4
	vwredsum.vs	v9, v16, v9
	blt	a4, a5, .LBB0_1
	li	a5, 0
	vsetvli	zero, a6, e32, m1, ta, ma
	vmv.x.s	a4, v9
	addi	a4, a4, 256
	srai	a4, a4, 9
	li	a6, 512
.LBB0_3:
	sub	a7, a6, a5
	add	t0, a0, a5
	vsetvli	a7, a7, e16, m4, ta, ma
	vle8.v	v10, (t0)
	vsext.vf2	v12, v10
	vsub.vx	v12, v12, a4
	vwmul.vv	v16, v12, v12
	add	a5, a7, a5
	vsetvli	zero, zero, e32, m8, ta, ma
	vredsum.vs	v8, v16, v8
	blt	a5, a6, .LBB0_3
	li	a5, 0
	vmv.x.s	a6, v8
	lui	a7, 262144
	lui	t0, 65536
	lui	t1, 16384
	lui	t2, 4096
	addi	a6, a6, 256
	addi	t3, a7, -256
	srli	a6, a6, 1
	and	a7, a6, a7
	and	a6, a6, t3
	or	t0, a7, t0
	sltu	t3, a6, t0
	addi	t4, t3, -1
	and	t0, t4, t0
	lui	t4, 1024
	srli	a7, a7, 1
	xori	t3, t3, 1
	slli	t3, t3, 28
	or	a7, t3, a7
	sub	t0, a6, t0
	or	a6, a7, t1
	sltu	t1, t0, a6
	addi	t3, t1, -1
	and	t3, t3, a6
	lui	a6, 256
	srli	a7, a7, 1
	xori	t1, t1, 1
	slli	t1, t1, 26
	or	a7, t1, a7
	sub	t0, t0, t3
	or	t1, a7, t2
	sltu	t2, t0, t1
	addi	t3, t2, -1
	and	t1, t3, t1
	lui	t3, 64
	srli	a7, a7, 1
	xori	t2, t2, 1
	slli	t2, t2, 24
	or	a7, t2, a7
	sub	t0, t0, t1
	add	t4, a7, t4
	srli	a7, a7, 1
	sltu	t1, t0, t4
	xori	t2, t1, 1
	addi	t1, t1, -1
	slli	t2, t2, 22
	and	t1, t1, t4
	add	a7, t2, a7
	sub	t0, t0, t1
	add	t1, a7, a6
	sltu	t2, t0, t1
	addi	t4, t2, -1
	and	t1, t4, t1
	lui	t4, 16
	srli	a7, a7, 1
	xori	t2, t2, 1
	slli	t2, t2, 20
	add	a7, t2, a7
	sub	t0, t0, t1
	add	t3, a7, t3
	sltu	t1, t0, t3
	addi	t2, t1, -1
	and	t2, t2, t3
	lui	t3, 4
	srli	a7, a7, 1
	xori	t1, t1, 1
	slli	t1, t1, 18
	add	a7, t1, a7
	sub	t0, t0, t2
	add	t4, a7, t4
	sltu	t1, t0, t4
	addi	t2, t1, -1
	and	t2, t2, t4
	lui	t4, 1
	srli	a7, a7, 1
	xori	t1, t1, 1
	slli	t1, t1, 16
	add	a7, t1, a7
	sub	t0, t0, t2
	add	t3, a7, t3
	srli	a7, a7, 1
	sltu	t1, t0, t3
	xori	t2, t1, 1
	addi	t1, t1, -1
	slli	t2, t2, 14
	and	t1, t1, t3
	add	a7, t2, a7
	sub	t0, t0, t1
	add	t4, a7, t4
	srli	a7, a7, 1
	sltu	t1, t0, t4
	xori	t2, t1, 1
	addi	t1, t1, -1
	slli	t2, t2, 12
	and	t1, t1, t4
	add	t3, t2, a7
	sub	t0, t0, t1
	and	t1, t2, a7
	xor	a7, t2, a7
	addi	t2, t3, 1024
	srli	a7, a7, 1
	sltu	t3, t0, t2
	add	a7, t1, a7
	xori	t1, t3, 1
	addi	t3, t3, -1
	slli	t1, t1, 10
	and	t2, t3, t2
	add	t3, t1, a7
	sub	t0, t0, t2
	and	t2, t1, a7
	xor	a7, t1, a7
	addi	t1, t3, 256
	srli	a7, a7, 1
	sltu	t3, t0, t1
	add	a7, t2, a7
	xori	t2, t3, 1
	addi	t3, t3, -1
	slli	t2, t2, 8
	and	t1, t3, t1
	add	t3, t2, a7
	sub	t0, t0, t1
	and	t1, t2, a7
	xor	a7, t2, a7
	addi	t2, t3, 64
	srli	a7, a7, 1
	sltu	t3, t0, t2
	add	a7, t1, a7
	xori	t1, t3, 1
	addi	t3, t3, -1
	slli	t1, t1, 6
	and	t2, t3, t2
	add	t3, t1, a7
	sub	t0, t0, t2
	and	t2, t1, a7
	xor	a7, t1, a7
	addi	t3, t3, 16
	srli	a7, a7, 1
	sltu	t1, t0, t3
	add	a7, t2, a7
	xori	t2, t1, 1
	addi	t1, t1, -1
	slli	t2, t2, 4
	and	t1, t1, t3
	add	t3, t2, a7
	sub	t0, t0, t1
	and	t1, t2, a7
	xor	a7, t2, a7
	addi	t3, t3, 4
	srli	a7, a7, 1
	sltu	t2, t0, t3
	add	a7, t1, a7
	xori	t1, t2, 1
	addi	t2, t2, -1
	slli	t1, t1, 2
	and	t2, t2, t3
	add	t3, t1, a7
	sub	t0, t0, t2
	and	t2, t1, a7
	xor	a7, t1, a7
	srli	a7, a7, 1
	add	a7, t2, a7
	sltu	t0, t3, t0
	add	a7, a7, t0
	seqz	t0, a7
	add	a7, a7, t0
	divu	a6, a6, a7
	li	a7, 512
.LBB0_5:
	sub	t0, a7, a5
	add	t1, a0, a5
	add	t2, a1, a5
	vsetvli	t0, t0, e32, m4, ta, ma
	vle8.v	v12, (t1)
	vle8.v	v16, (t2)
	add	t1, a2, a5
	vle8.v	v17, (t1)
	vsext.vf4	v8, v12
	vsext.vf4	v12, v16
	vsub.vx	v8, v8, a4
	vmul.vx	v8, v8, a6
	vssra.vi	v8, v8, 11
	vmul.vv	v8, v8, v12
	add	t1, a3, a5
	vsext.vf4	v12, v17
	vssra.vi	v8, v8, 7
	vadd.vv	v8, v8, v12
	vsetvli	zero, zero, e16, m2, ta, ma
	vnclip.wi	v12, v8, 0
	vsetvli	zero, zero, e8, m1, ta, ma
	vnclip.wi	v8, v12, 0
	add	a5, t0, a5
	vse8.v	v8, (t1)
	blt	a5, a7, .LBB0_5
	ret
.Lfunc_end0:
	.size	kernel, .Lfunc_end0-kernel
	.cfi_endproc

	.ident	"clang version 22.1.8"
	.section	".note.GNU-stack","",@progbits
