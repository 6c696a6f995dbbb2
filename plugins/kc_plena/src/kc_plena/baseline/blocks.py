"""Building blocks of the PLENA templates: constants, HBM transfers, projections.

Each block appends to an `Emitter` and leaves nothing behind but memory; registers are free between blocks. Activations
are in column-block layout: [cols / 64, rows, 64], so a step of one column block is 64 * rows elements.

Source: the template style of AICrossSim/PLENA at ecd5acb (compiler/asm_templates); KernelCraft, arXiv 2603.08721,
table 15, row "Compiler", for the cycle counts these blocks add up to.
"""

from __future__ import annotations

from collections.abc import Sequence

from kc_plena.baseline.emitter import MAX_IMM18, Emitter

LANES = 64
"""MLEN = VLEN: elements of a VRAM row and side of a matrix tile."""
GROUP = 4
"""BLEN and rows moved by one vector transfer: activation rows handled together."""
TILE = LANES * LANES
"""Elements of one MSRAM tile."""
MAX_TILES = 1024
"""Tiles of the matrix SRAM."""


def li(asm: Emitter, reg: str, value: int) -> None:
    """Load a constant (0 <= value < 2**32): one S_ADDI_INT, or S_LUI_INT and the low 12 bits when they are not zero."""
    if not 0 <= value < 1 << 32:
        raise ValueError(f"constant {value} does not fit 32 bits")
    if value <= MAX_IMM18:
        asm.op("S_ADDI_INT", reg, "gp0", value)
        return
    asm.op("S_LUI_INT", reg, value >> 12)
    if value & 0xFFF:
        asm.op("S_ADDI_INT", reg, reg, value & 0xFFF)


def add(asm: Emitter, dst: str, src: str, amount: int = 0) -> None:
    """Set `dst` to `src + amount` (0..262143); with no amount this is a copy."""
    if not 0 <= amount <= MAX_IMM18:
        raise ValueError(f"step {amount} does not fit the 18-bit immediate")
    asm.op("S_ADDI_INT", dst, src, amount)


def advance(asm: Emitter, reg: str, amount: int) -> None:
    """Add `amount` (0..262143) to a register."""
    add(asm, reg, reg, amount)


def reset(asm: Emitter, regs: Sequence[str]) -> None:
    """Clear registers; padding of the published programs, part of their cycle counts."""
    for reg in regs:
        li(asm, reg, 0)


def set_bases(asm: Emitter, *addresses: int) -> None:
    """Point a1, a2, ... at HBM byte addresses below 4 GiB (a0 stays at 0, the first tensor)."""
    for i, address in enumerate(addresses, 1):
        li(asm, f"gp{i}", address)
        asm.op("C_SET_ADDR_REG", f"a{i}", "gp0", f"gp{i}")


def set_scale(asm: Emitter, reg: str, elements: int) -> None:
    """Set SCALE_REG: bytes from the elements of a tensor to its scales."""
    li(asm, reg, elements)
    asm.op("C_SET_SCALE_REG", reg)


def set_stride(asm: Emitter, reg: str, elements: int) -> None:
    """Set STRIDE_REG: elements from one row of a tensor to the next."""
    li(asm, reg, elements)
    asm.op("C_SET_STRIDE_REG", reg)


def _check(rows: int, *widths: int) -> None:
    """Refuse shapes that the templates cannot cut into groups of 4 rows and blocks of 64 columns."""
    if rows < GROUP or rows % GROUP:
        raise ValueError(f"{rows} rows are not a positive multiple of {GROUP}")
    for width in widths:
        if width < LANES or width % LANES:
            raise ValueError(f"a width of {width} is not a positive multiple of {LANES}")


def _transfer(
    asm: Emitter,
    mnemonic: str,
    rows: int,
    width: int,
    per_call: int,
    *,
    base: str,
    vram: int,
    scale: int | None,
    offset: int | str,
) -> None:
    """Move an activation between HBM (row-major) and VRAM (column blocks) in groups of `per_call` rows."""
    _check(rows, width)
    block, off, ptr, block_counter, row_counter = "gp1", "gp2", "gp3", "gp4", "gp5"
    set_scale(asm, block, rows * width if scale is None else scale)
    if isinstance(offset, str):
        add(asm, block, offset)
    else:
        li(asm, block, offset)
    li(asm, ptr, vram)
    set_stride(asm, off, width)
    with asm.loop(block_counter, width // LANES):
        add(asm, off, block)
        if rows > per_call:
            with asm.loop(row_counter, -(-rows // per_call)):
                asm.op(mnemonic, ptr, off, base, 1, 0)
                advance(asm, ptr, LANES * per_call)
                advance(asm, off, width * per_call)
        else:
            asm.op(mnemonic, ptr, off, base, 1, 0)
            advance(asm, ptr, LANES * per_call)
        advance(asm, block, LANES)


def preload(
    asm: Emitter,
    rows: int,
    width: int,
    per_call: int = GROUP,
    *,
    base: str = "a0",
    dest: int = 0,
    scale: int | None = None,
    offset: int | str = 0,
) -> None:
    """Fetch an activation [rows, width] from HBM into VRAM at `dest`.

    Args:
        asm: where to append.
        rows: rows of the activation, a multiple of 4.
        width: features of a row, a multiple of 64.
        per_call: rows one H_PREFETCH_V is believed to move. The hardware moves 4: with 1 the program is right but slow
            (three of four rows are fetched again), with more than 4 rows are left out.
        base: address register of the tensor.
        dest: VRAM element address.
        scale: SCALE_REG; the elements of the whole tensor when the activation is a part of it.
        offset: HBM element offset of the activation in its tensor, or a register (gp6..gp15) that holds it.
    """
    asm.comment(f"preload [{rows}, {width}] from {base} into VRAM, {per_call} rows per prefetch")
    _transfer(asm, "H_PREFETCH_V", rows, width, per_call, base=base, vram=dest, scale=scale, offset=offset)


def store_act(asm: Emitter, rows: int, width: int, *, base: str, src: int = 0) -> None:
    """Quantise an activation [rows, width] at VRAM `src` into HBM at `base`: elements row-major, then scales."""
    asm.comment(f"store [{rows}, {width}] from VRAM to {base}")
    _transfer(asm, "H_STORE_V", rows, width, GROUP, base=base, vram=src, scale=None, offset=0)


def projection(
    asm: Emitter,
    rows: int,
    inner: int,
    cols: int,
    *,
    base: str,
    src: int,
    dst: int,
    scale: int | None = None,
    offset: int = 0,
) -> None:
    """Multiply the activation [rows, inner] at VRAM `src` by a weight [inner, cols] of HBM into VRAM `dst`, unrolled.

    All tiles of a 64-column block of the weight stay in MSRAM while every row group passes by, so the weight crosses
    the HBM bus once. `scale` and `offset` (elements) place the weight inside a larger tensor at `base`.
    """
    _check(rows, inner, cols)
    depth = inner // LANES
    if depth > MAX_TILES:
        raise ValueError(f"{depth} tiles of one column block do not fit the {MAX_TILES} tiles of MSRAM")
    column, tile, act, out, off, block = "gp1", "gp2", "gp3", "gp4", "gp5", "gp6"
    slices = cols // GROUP
    per_block = LANES // GROUP
    asm.comment(f"projection [{rows}, {inner}] x [{inner}, {cols}], weight at {base}")
    set_scale(asm, act, inner * cols if scale is None else scale)
    set_stride(asm, act, cols)
    li(asm, act, src)
    li(asm, block, dst)
    for c in range(slices):
        lane = GROUP * (c % per_block)
        if lane == 0:
            asm.comment(f"columns {GROUP * c}..{GROUP * c + LANES - 1}: {depth} weight tiles")
            li(asm, column, 0)
            li(asm, off, offset + GROUP * c)
            add(asm, out, block)
            for _ in range(depth):
                asm.op("H_PREFETCH_M", column, off, base, 1, 0)
                advance(asm, column, TILE)
                advance(asm, off, LANES * cols)
            li(asm, column, 0)
        else:
            li(asm, column, lane)
            add(asm, out, block, lane)
        for group in range(rows // GROUP):
            li(asm, act, src + GROUP * LANES * group)
            add(asm, tile, column)
            for _ in range(depth):
                asm.op("M_MM", 0, tile, act)
                advance(asm, tile, TILE)
                advance(asm, act, LANES * rows)
            asm.op("M_MM_WO", out, "gp0", 0)
            advance(asm, out, GROUP * LANES)
        if c % per_block == per_block - 1 and c != slices - 1:
            advance(asm, block, LANES * rows)


def gemm_loop(
    asm: Emitter,
    rows: int,
    inner: int,
    cols: int,
    *,
    base: str,
    dst: str,
    off: str,
    save: str,
    src: int,
    src_reg: str | None = None,
) -> None:
    """Multiply [rows, inner] at VRAM `src` by a weight [inner, cols] with hardware loops; only the depth is unrolled.

    SCALE_REG and STRIDE_REG must be set. Uses gp1..gp4 and, as counters, gp5..gp7.

    Args:
        asm: where to append.
        rows: rows of the activation, a multiple of 4.
        inner: depth of the product, a multiple of 64.
        cols: columns of the weight, a multiple of 64.
        base: address register of the weight.
        dst: register with the VRAM address of the result; afterwards the address just behind the result.
        off: register with the HBM offset of the weight; afterwards `cols` higher.
        save: register that may be overwritten.
        src: VRAM address of the activation.
        src_reg: register through which the published program loads `src` (one more instruction per slice).
    """
    _check(rows, inner, cols)
    depth = inner // LANES
    if depth > MAX_TILES:
        raise ValueError(f"{depth} tiles of one column block do not fit the {MAX_TILES} tiles of MSRAM")
    column, act, out, tile = "gp1", "gp2", "gp3", "gp4"
    asm.comment(f"looped projection [{rows}, {inner}] x [{inner}, {cols}], weight at {base}")
    with asm.loop("gp5", cols // LANES):
        li(asm, column, 0)
        add(asm, act, off)
        for _ in range(depth):
            asm.op("H_PREFETCH_M", column, act, base, 1, 0)
            advance(asm, column, TILE)
            advance(asm, act, LANES * cols)
        li(asm, column, 0)
        add(asm, out, dst)
        with asm.loop("gp6", LANES // GROUP):
            li(asm, src_reg or act, src)
            if src_reg:
                add(asm, act, src_reg)
            with asm.loop("gp7", rows // GROUP):
                add(asm, tile, column)
                add(asm, save, act)
                for k in range(depth):
                    asm.op("M_MM", 0, tile, act)
                    advance(asm, tile, TILE)
                    if k < depth - 1:
                        advance(asm, act, LANES * rows)
                asm.op("M_MM_WO", out, "gp0", 0)
                advance(asm, out, GROUP * LANES)
                add(asm, act, save, GROUP * LANES)
            advance(asm, column, GROUP)
            add(asm, out, dst)
            asm.op("S_ADD_INT", out, out, column)
        advance(asm, off, LANES)
        advance(asm, dst, LANES * rows)


def silu(asm: Emitter, src: int, scratch: int, vectors: int) -> None:
    """Replace `vectors` VRAM rows from `src` by x * sigmoid(x); FP_MEM[1] holds 1.0, the row at `scratch` is used."""
    x, t, one = "gp1", "gp2", "f1"
    asm.comment(f"silu over {vectors} rows at {src}")
    li(asm, x, src)
    li(asm, t, scratch)
    asm.op("S_LD_FP", one, "gp0", 1)
    with asm.loop("gp3", vectors):
        asm.op("V_SUB_VF", t, x, "f0", 0, 1)
        sigmoid_tail(asm, x, t, one)
        advance(asm, x, LANES)


def sigmoid_tail(asm: Emitter, x: str, t: str, one: str) -> None:
    """Replace row `x` by x / (1 + exp(t)), where row `t` holds the negated argument of the sigmoid."""
    asm.op("V_EXP_V", t, t, 0)
    asm.op("V_ADD_VF", t, t, one, 0)
    asm.op("V_RECI_V", t, t, 0)
    asm.op("V_MUL_VV", x, t, x, 0)
