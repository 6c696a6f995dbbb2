# Output of clang from the PyPI package ziglang (-O2, RV64) for the towers of Hanoi: a syntax test.
	.text
	.attribute	4, 16
	.attribute	5, "rv64i2p1_m2p0_a2p1_f2p2_d2p2_c2p0_zicsr2p0_zifencei2p0_zmmul1p0"
	.file	"towers.c"
	.globl	kernel                          # -- Begin function kernel
	.p2align	1
	.type	kernel,@function
kernel:                                 # @kernel
# %bb.0:
	lw	a1, 0(a0)
	li	a3, 1
	li	a4, 2
	li	a2, 0
	tail	solve
.Lfunc_end0:
	.size	kernel, .Lfunc_end0-kernel
                                        # -- End function
	.p2align	1                               # -- Begin function solve
	.type	solve,@function
solve:                                  # @solve
# %bb.0:
	addi	sp, sp, -80
	sd	ra, 72(sp)                      # 8-byte Folded Spill
	sd	s0, 64(sp)                      # 8-byte Folded Spill
	sd	s1, 56(sp)                      # 8-byte Folded Spill
	sd	s2, 48(sp)                      # 8-byte Folded Spill
	sd	s3, 40(sp)                      # 8-byte Folded Spill
	sd	s4, 32(sp)                      # 8-byte Folded Spill
	sd	s5, 24(sp)                      # 8-byte Folded Spill
	sd	s6, 16(sp)                      # 8-byte Folded Spill
	sd	s7, 8(sp)                       # 8-byte Folded Spill
	mv	s2, a4
	mv	s4, a2
	mv	s3, a0
	addiw	s0, a1, -1
	addi	s5, a0, 8
	slli	s6, a4, 4
	beqz	s0, .LBB1_3
# %bb.1:
	add	s7, s5, s6
	mv	s1, s4
.LBB1_2:                                # =>This Inner Loop Header: Depth=1
	mv	s4, a3
	mv	a0, s3
	mv	a1, s0
	mv	a2, s1
	mv	a3, s2
	mv	a4, s4
	call	solve
	slli	a0, s1, 4
	add	a0, a0, s5
	ld	a1, 8(a0)
	ld	a2, 8(a1)
	lw	a3, 0(a0)
	sd	a2, 8(a0)
	addi	a3, a3, -1
	ld	a2, 8(s7)
	sw	a3, 0(a0)
	lw	a0, 0(s7)
	sd	a2, 8(a1)
	sd	a1, 8(s7)
	addi	a0, a0, 1
	ld	a1, 72(s3)
	sw	a0, 0(s7)
	slli	a0, s1, 2
	add	a0, a0, s2
	addi	a2, a1, 1
	sd	a2, 72(s3)
	sb	a0, 0(a1)
	lw	a0, 4(s3)
	addi	a0, a0, 1
	addiw	s0, s0, -1
	sw	a0, 4(s3)
	mv	a3, s1
	mv	s1, s4
	bnez	s0, .LBB1_2
.LBB1_3:
	slli	a0, s4, 4
	add	a0, a0, s5
	ld	a1, 8(a0)
	ld	a2, 8(a1)
	lw	a3, 0(a0)
	sd	a2, 8(a0)
	addi	a3, a3, -1
	add	s5, s5, s6
	ld	a2, 8(s5)
	sw	a3, 0(a0)
	lw	a0, 0(s5)
	sd	a2, 8(a1)
	sd	a1, 8(s5)
	addi	a0, a0, 1
	ld	a1, 72(s3)
	sw	a0, 0(s5)
	slli	s4, s4, 2
	add	s2, s2, s4
	addi	a0, a1, 1
	sd	a0, 72(s3)
	sb	s2, 0(a1)
	lw	a0, 4(s3)
	addi	a0, a0, 1
	sw	a0, 4(s3)
	ld	ra, 72(sp)                      # 8-byte Folded Reload
	ld	s0, 64(sp)                      # 8-byte Folded Reload
	ld	s1, 56(sp)                      # 8-byte Folded Reload
	ld	s2, 48(sp)                      # 8-byte Folded Reload
	ld	s3, 40(sp)                      # 8-byte Folded Reload
	ld	s4, 32(sp)                      # 8-byte Folded Reload
	ld	s5, 24(sp)                      # 8-byte Folded Reload
	ld	s6, 16(sp)                      # 8-byte Folded Reload
	ld	s7, 8(sp)                       # 8-byte Folded Reload
	addi	sp, sp, 80
	ret
.Lfunc_end1:
	.size	solve, .Lfunc_end1-solve
                                        # -- End function
	.ident	"Debian clang version 19.1.7 (3~deb12u1)"
	.section	".note.GNU-stack","",@progbits
	.addrsig
