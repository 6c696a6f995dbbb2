# source: layernorm.c
# sha256: 59aae77aa6d99a2145944fb1c2135f64a0870ee181ed6bf74a87f227a89d0a98
# compiler: ziglang 0.17.1 (clang 22.1.8)
# flags: -target riscv32-freestanding-none -mcpu=generic_rv32+m+zve32x+zvl128b-a-c-d -fno-sanitize=undefined -Wno-unused-command-line-argument -O2 -ffreestanding -fomit-frame-pointer -fno-pic -mno-relax -g0 -fno-asynchronous-unwind-tables -fno-addrsig -fno-verbose-asm -S
# macros: -DN=2048 -DL=11
	.attribute	4, 16
	.attribute	5, "rv32i2p1_m2p0_zicsr2p0_zmmul1p0_zve32x1p0_zvl128b1p0_zvl32b1p0_zvl64b1p0"
	.file	"layernorm.c"
	.text
	.globl	kernel
	.p2align	2
	.type	kernel,@function
kernel:
	.cfi_startproc
	li	a5, 0
	li	a4, 1
	vsetivli	zero, 1, e32, m1, ta, ma
	vmv.s.x	v8, zero
	slli	a4, a4, 11
	csrwi	vxrm, 0
	vmv.v.v	v9, v8
.LBB0_1:
	sub	a7, a4, a5
	add	a6, a0, a5
	vsetvli	t0, a7, e16, m8, ta, ma
	vle8.v	v12, (a6)
	vsext.vf2	v16, v12
	add	a5, t0, a5
	vwredsum.vs	v9, v16, v9
	blt	a5, a4, .LBB0_1
	li	a6, 0
	vsetvli	zero, a7, e32, m1, ta, ma
	vmv.x.s	a5, v9
	li	a7, 1
	addi	a5, a5, 1024
	srai	a5, a5, 11
	slli	a7, a7, 11
.LBB0_3:
	sub	t0, a4, a6
	add	t1, a0, a6
	vsetvli	t0, t0, e16, m4, ta, ma
	vle8.v	v10, (t1)
	vsext.vf2	v12, v10
	vsub.vx	v12, v12, a5
	vwmul.vv	v16, v12, v12
	add	a6, t0, a6
	vsetvli	zero, zero, e32, m8, ta, ma
	vredsum.vs	v8, v16, v8
	blt	a6, a7, .LBB0_3
	li	a6, 0
	vmv.x.s	a7, v8
	lui	t0, 65536
	lui	t1, 16384
	lui	t2, 4096
	lui	t3, 1024
	addi	a7, a7, 1024
	addi	t4, t0, -256
	srli	a7, a7, 3
	and	t0, a7, t0
	and	t4, a7, t4
	or	a7, t0, t1
	sltu	t1, t4, a7
	addi	t5, t1, -1
	and	t5, t5, a7
	lui	a7, 256
	srli	t0, t0, 1
	xori	t1, t1, 1
	slli	t1, t1, 26
	or	t0, t1, t0
	sub	t1, t4, t5
	or	t2, t0, t2
	sltu	t4, t1, t2
	addi	t5, t4, -1
	and	t2, t5, t2
	lui	t5, 64
	srli	t0, t0, 1
	xori	t4, t4, 1
	slli	t4, t4, 24
	or	t0, t4, t0
	sub	t1, t1, t2
	or	t2, t0, t3
	srli	t0, t0, 1
	sltu	t3, t1, t2
	xori	t4, t3, 1
	addi	t3, t3, -1
	slli	t4, t4, 22
	and	t2, t3, t2
	or	t0, t4, t0
	sub	t1, t1, t2
	add	t2, t0, a7
	sltu	t3, t1, t2
	addi	t4, t3, -1
	and	t2, t4, t2
	lui	t4, 16
	srli	t0, t0, 1
	xori	t3, t3, 1
	slli	t3, t3, 20
	add	t0, t3, t0
	sub	t1, t1, t2
	add	t5, t0, t5
	sltu	t2, t1, t5
	addi	t3, t2, -1
	and	t3, t3, t5
	lui	t5, 4
	srli	t0, t0, 1
	xori	t2, t2, 1
	slli	t2, t2, 18
	add	t0, t2, t0
	sub	t1, t1, t3
	add	t4, t0, t4
	sltu	t2, t1, t4
	addi	t3, t2, -1
	and	t3, t3, t4
	lui	t4, 1
	srli	t0, t0, 1
	xori	t2, t2, 1
	slli	t2, t2, 16
	add	t0, t2, t0
	sub	t1, t1, t3
	add	t5, t0, t5
	srli	t0, t0, 1
	sltu	t2, t1, t5
	xori	t3, t2, 1
	addi	t2, t2, -1
	slli	t3, t3, 14
	and	t2, t2, t5
	add	t0, t3, t0
	sub	t1, t1, t2
	add	t4, t0, t4
	srli	t0, t0, 1
	sltu	t2, t1, t4
	xori	t3, t2, 1
	addi	t2, t2, -1
	slli	t3, t3, 12
	and	t2, t2, t4
	add	t0, t3, t0
	sub	t1, t1, t2
	addi	t2, t0, 1024
	srli	t0, t0, 1
	sltu	t3, t1, t2
	xori	t4, t3, 1
	addi	t3, t3, -1
	slli	t4, t4, 10
	and	t2, t3, t2
	add	t3, t4, t0
	sub	t1, t1, t2
	and	t2, t4, t0
	xor	t0, t4, t0
	addi	t3, t3, 256
	srli	t0, t0, 1
	sltu	t4, t1, t3
	add	t0, t2, t0
	xori	t2, t4, 1
	addi	t4, t4, -1
	slli	t2, t2, 8
	and	t3, t4, t3
	add	t4, t2, t0
	sub	t1, t1, t3
	and	t3, t2, t0
	xor	t0, t2, t0
	addi	t2, t4, 64
	srli	t0, t0, 1
	sltu	t4, t1, t2
	add	t0, t3, t0
	xori	t3, t4, 1
	addi	t4, t4, -1
	slli	t3, t3, 6
	and	t2, t4, t2
	add	t4, t3, t0
	sub	t1, t1, t2
	and	t2, t3, t0
	xor	t0, t3, t0
	addi	t4, t4, 16
	srli	t0, t0, 1
	sltu	t3, t1, t4
	add	t0, t2, t0
	xori	t2, t3, 1
	addi	t3, t3, -1
	slli	t2, t2, 4
	and	t3, t3, t4
	add	t4, t2, t0
	sub	t1, t1, t3
	and	t3, t2, t0
	xor	t0, t2, t0
	addi	t4, t4, 4
	srli	t0, t0, 1
	sltu	t2, t1, t4
	add	t0, t3, t0
	xori	t3, t2, 1
	addi	t2, t2, -1
	slli	t3, t3, 2
	and	t2, t2, t4
	add	t4, t3, t0
	sub	t1, t1, t2
	and	t2, t3, t0
	xor	t0, t3, t0
	srli	t0, t0, 1
	add	t0, t2, t0
	sltu	t1, t4, t1
	add	t0, t0, t1
	seqz	t1, t0
	add	t0, t0, t1
	divu	a7, a7, t0
	li	t0, 1
	slli	t0, t0, 11
.LBB0_5:
	sub	t1, a4, a6
	add	t2, a0, a6
	add	t3, a1, a6
	vsetvli	t1, t1, e32, m4, ta, ma
	vle8.v	v12, (t2)
	vle8.v	v16, (t3)
	add	t2, a2, a6
	vle8.v	v17, (t2)
	vsext.vf4	v8, v12
	vsext.vf4	v12, v16
	vsub.vx	v8, v8, a5
	vmul.vx	v8, v8, a7
	vssra.vi	v8, v8, 11
	vmul.vv	v8, v8, v12
	add	t2, a3, a6
	vsext.vf4	v12, v17
	vssra.vi	v8, v8, 7
	vadd.vv	v8, v8, v12
	vsetvli	zero, zero, e16, m2, ta, ma
	vnclip.wi	v12, v8, 0
	vsetvli	zero, zero, e8, m1, ta, ma
	vnclip.wi	v8, v12, 0
	add	a6, t1, a6
	vse8.v	v8, (t2)
	blt	a6, t0, .LBB0_5
	ret
.Lfunc_end0:
	.size	kernel, .Lfunc_end0-kernel
	.cfi_endproc

	.ident	"clang version 22.1.8"
	.section	".note.GNU-stack","",@progbits
