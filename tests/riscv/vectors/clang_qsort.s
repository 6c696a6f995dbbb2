# Output of clang from the PyPI package ziglang (-O2, RV64) for a quicksort: a syntax test.
	.text
	.attribute	4, 16
	.attribute	5, "rv64i2p1_m2p0_a2p1_f2p2_d2p2_c2p0_zicsr2p0_zifencei2p0_zmmul1p0"
	.file	"qsort.c"
	.globl	kernel                          # -- Begin function kernel
	.p2align	1
	.type	kernel,@function
kernel:                                 # @kernel
# %bb.0:
	addi	sp, sp, -528
	sd	s0, 520(sp)                     # 8-byte Folded Spill
	li	t3, 0
	li	t0, 0
	addi	t1, a0, -1
	addi	t2, a1, 4
	li	a6, 9
	addi	a7, sp, 8
	sub	a0, t1, zero
	blt	a6, a0, .LBB0_13
	j	.LBB0_3
.LBB0_1:                                #   in Loop: Header=BB0_13 Depth=1
	mv	a0, t4
	mv	a2, t1
	mv	t1, t5
.LBB0_2:                                #   in Loop: Header=BB0_13 Depth=1
	slli	a3, t0, 3
	add	a3, a3, a7
	sd	a0, 0(a3)
	sd	a2, 8(a3)
	addiw	t0, t0, 2
	sub	a0, t1, t3
	blt	a6, a0, .LBB0_13
.LBB0_3:                                # =>This Loop Header: Depth=1
                                        #     Child Loop BB0_7 Depth 2
                                        #       Child Loop BB0_9 Depth 3
	bge	t3, t1, .LBB0_11
# %bb.4:                                #   in Loop: Header=BB0_3 Depth=1
	slli	a3, t3, 2
	add	a3, a3, t2
	mv	t4, t3
	j	.LBB0_7
.LBB0_5:                                #   in Loop: Header=BB0_7 Depth=2
	mv	a4, a2
.LBB0_6:                                #   in Loop: Header=BB0_7 Depth=2
	slli	a4, a4, 2
	add	a4, a4, t2
	sw	a0, 0(a4)
	addi	a3, a3, 4
	beq	t4, t1, .LBB0_11
.LBB0_7:                                #   Parent Loop BB0_3 Depth=1
                                        # =>  This Loop Header: Depth=2
                                        #       Child Loop BB0_9 Depth 3
	mv	a4, t4
	addi	t4, t4, 1
	slli	a0, t4, 2
	add	a0, a0, a1
	lw	a0, 0(a0)
	blt	a4, t3, .LBB0_6
# %bb.8:                                #   in Loop: Header=BB0_7 Depth=2
	mv	a5, a3
.LBB0_9:                                #   Parent Loop BB0_3 Depth=1
                                        #     Parent Loop BB0_7 Depth=2
                                        # =>    This Inner Loop Header: Depth=3
	lw	s0, -4(a5)
	mv	a2, a4
	bge	a0, s0, .LBB0_5
# %bb.10:                               #   in Loop: Header=BB0_9 Depth=3
	sw	s0, 0(a5)
	addi	a4, a2, -1
	addi	a5, a5, -4
	blt	t3, a2, .LBB0_9
	j	.LBB0_6
.LBB0_11:                               #   in Loop: Header=BB0_3 Depth=1
	beqz	t0, .LBB0_31
# %bb.12:                               #   in Loop: Header=BB0_3 Depth=1
	slli	a0, t0, 3
	add	a0, a0, a7
	ld	t1, -8(a0)
	addiw	t0, t0, -2
	slli	a0, t0, 3
	add	a0, a0, a7
	ld	t3, 0(a0)
	sub	a0, t1, t3
	bge	a6, a0, .LBB0_3
.LBB0_13:                               # =>This Loop Header: Depth=1
                                        #     Child Loop BB0_23 Depth 2
                                        #       Child Loop BB0_24 Depth 3
                                        #       Child Loop BB0_26 Depth 3
	slli	a2, t3, 2
	add	a2, a2, a1
	slli	a0, a0, 1
	andi	a0, a0, -4
	add	a0, a0, a2
	lw	a4, 0(a0)
	lw	a3, 0(a2)
	bge	a4, a3, .LBB0_15
# %bb.14:                               #   in Loop: Header=BB0_13 Depth=1
	sw	a3, 0(a0)
	sw	a4, 0(a2)
	j	.LBB0_16
.LBB0_15:                               #   in Loop: Header=BB0_13 Depth=1
	mv	a4, a3
.LBB0_16:                               #   in Loop: Header=BB0_13 Depth=1
	slli	a3, t1, 2
	add	a3, a3, a1
	lw	t6, 0(a3)
	bge	t6, a4, .LBB0_18
# %bb.17:                               #   in Loop: Header=BB0_13 Depth=1
	sw	a4, 0(a3)
	sw	t6, 0(a2)
	lw	t6, 0(a3)
.LBB0_18:                               #   in Loop: Header=BB0_13 Depth=1
	lw	a2, 0(a0)
	bge	t6, a2, .LBB0_20
# %bb.19:                               #   in Loop: Header=BB0_13 Depth=1
	sw	a2, 0(a3)
	sw	t6, 0(a0)
	j	.LBB0_21
.LBB0_20:                               #   in Loop: Header=BB0_13 Depth=1
	mv	t6, a2
.LBB0_21:                               #   in Loop: Header=BB0_13 Depth=1
	mv	t4, t3
	mv	t5, t1
	j	.LBB0_23
.LBB0_22:                               #   in Loop: Header=BB0_23 Depth=2
	blt	t5, t4, .LBB0_29
.LBB0_23:                               #   Parent Loop BB0_13 Depth=1
                                        # =>  This Loop Header: Depth=2
                                        #       Child Loop BB0_24 Depth 3
                                        #       Child Loop BB0_26 Depth 3
	slli	a0, t4, 2
	add	a0, a0, a1
	mv	a3, t4
.LBB0_24:                               #   Parent Loop BB0_13 Depth=1
                                        #     Parent Loop BB0_23 Depth=2
                                        # =>    This Inner Loop Header: Depth=3
	lw	a2, 0(a0)
	addi	a3, a3, 1
	addi	a0, a0, 4
	blt	a2, t6, .LBB0_24
# %bb.25:                               #   in Loop: Header=BB0_23 Depth=2
	addi	t4, a3, -1
	slli	a4, t5, 2
	add	a4, a4, t2
	mv	a5, t5
.LBB0_26:                               #   Parent Loop BB0_13 Depth=1
                                        #     Parent Loop BB0_23 Depth=2
                                        # =>    This Inner Loop Header: Depth=3
	lw	s0, -4(a4)
	addi	a4, a4, -4
	addi	a5, a5, -1
	blt	t6, s0, .LBB0_26
# %bb.27:                               #   in Loop: Header=BB0_23 Depth=2
	addi	t5, a5, 1
	blt	t5, t4, .LBB0_22
# %bb.28:                               #   in Loop: Header=BB0_23 Depth=2
	sw	s0, -4(a0)
	sw	a2, 0(a4)
	mv	t4, a3
	mv	t5, a5
	j	.LBB0_22
.LBB0_29:                               #   in Loop: Header=BB0_13 Depth=1
	sub	a0, t5, t3
	sub	a2, t1, t4
	bge	a2, a0, .LBB0_1
# %bb.30:                               #   in Loop: Header=BB0_13 Depth=1
	mv	a0, t3
	mv	a2, t5
	mv	t3, t4
	j	.LBB0_2
.LBB0_31:
	ld	s0, 520(sp)                     # 8-byte Folded Reload
	addi	sp, sp, 528
	ret
.Lfunc_end0:
	.size	kernel, .Lfunc_end0-kernel
                                        # -- End function
	.ident	"Debian clang version 19.1.7 (3~deb12u1)"
	.section	".note.GNU-stack","",@progbits
	.addrsig
