"""Numbers of the Coral NPU's timing: what `timing_model` is given, so that another state of the RTL can be described.

Source: google-coral/coralnpu (RvvCoreMiniAxi, early 2026), measured on the generated RTL to the cycle.
"""

from __future__ import annotations

from attrs import field, frozen
from attrs.validators import ge


def _at_least(least: int, default: int) -> int:
    value: int = field(default=default, validator=ge(least))
    return value


@frozen
class TimingParams:
    """Widths, depths and latencies; the defaults are the reference state of the RTL.

    Attributes:
        read_latency: cycles from an external address to its data (RL).
        write_latency: the same for a write (WL).
        dispatch: scalar instructions per cycle.
        line: bytes per fetch line (memory lines: `timing_access.LINE`).
        fetch_period: cycles between fetches.
        fetch_latency: cycles from a fetch to the first cycle its instructions can dispatch.
        fetch_buffer: entries of the instruction buffer; a fetch starts with a line's worth of them free.
        redirect: cycles from a mispredicted branch to the fetch of its target.
        window: instructions in flight (completion window).
        load_store_queue: loads and stores dispatched and not started.
        decode_instructions: vector instructions decoded per cycle.
        decode_uops: micro-ops decoded per cycle.
        decode_latency: cycles from dispatch to decode.
        uop_queue: entries of the micro-op queue.
        issue: micro-ops issued per cycle.
        issue_reads: vector registers read per cycle when all issue places are used (v0 as mask not counted).
        reorder: entries of the vector reorder buffer.
        complete_depth: oldest reorder entries among which a result completes its instruction.
        retire: micro-ops retired per cycle.
        station: waiting places per vector unit.
        alu_units: micro-ops the ALUs start per cycle.
        mul_units: micro-ops the multipliers start per cycle.
        alu_latency: cycles from start to result of an ALU micro-op.
        mul_latency: the same for a multiplication.
        prc_latency: the same for the unit of permutations, reductions and compares.
        scalar_mul_latency: cycles from dispatch to the result of a scalar multiplication.
        scalar_div_latency: cycles a scalar division takes on top of the bits of the dividend.
        scalar_div_zero: cycles of a scalar division by zero.
        divide_latency: cycles of a vector division micro-op on top of its bit groups.
        divide_bits: quotient bits per cycle of the vector divider.
    """

    read_latency: int = _at_least(0, 3)
    write_latency: int = _at_least(0, 3)
    dispatch: int = _at_least(1, 4)
    line: int = _at_least(4, 16)
    fetch_period: int = _at_least(1, 2)
    fetch_latency: int = _at_least(1, 2)
    fetch_buffer: int = _at_least(4, 8)
    redirect: int = _at_least(1, 2)
    window: int = _at_least(1, 8)
    load_store_queue: int = _at_least(1, 4)
    decode_instructions: int = _at_least(1, 2)
    decode_uops: int = _at_least(1, 6)
    decode_latency: int = _at_least(1, 2)
    uop_queue: int = _at_least(8, 16)
    issue: int = _at_least(1, 3)
    issue_reads: int = _at_least(3, 6)
    reorder: int = _at_least(8, 8)
    complete_depth: int = _at_least(1, 4)
    retire: int = _at_least(1, 4)
    station: int = _at_least(8, 8)
    alu_units: int = _at_least(1, 2)
    mul_units: int = _at_least(1, 2)
    alu_latency: int = _at_least(1, 1)
    mul_latency: int = _at_least(1, 2)
    prc_latency: int = _at_least(1, 2)
    scalar_mul_latency: int = _at_least(1, 2)
    scalar_div_latency: int = _at_least(1, 3)
    scalar_div_zero: int = _at_least(1, 34)
    divide_latency: int = _at_least(1, 2)
    divide_bits: int = _at_least(1, 3)

    def __attrs_post_init__(self) -> None:
        if self.complete_depth >= self.reorder:
            raise ValueError("complete_depth must be less than reorder")
        if self.fetch_buffer < self.line // 4:
            raise ValueError("fetch_buffer must hold a line")

    @property
    def fetch_back(self) -> int:
        """Return how many instructions before the first of a line its fetch waits for (the fifth-last delivered)."""
        return self.fetch_buffer - self.line // 4 + 1
