"""An RV32IM reference for tests, written from the manual on bit strings and fractions: nothing of the core's is used.

Source: RISC-V Instruction Set Manual, volume I, chapters RV32I and M.
"""

from __future__ import annotations

import math
from fractions import Fraction


def bits(value: int, count: int = 32) -> str:
    """Return the low `count` bits, the highest first."""
    return format(value % (1 << count), f"0{count}b")


def signed(text: str) -> int:
    """Return the two's complement number that a bit string stands for."""
    return int(text, 2) - (int(text[0]) << len(text))


def each(a: int, b: int, rule: str) -> int:
    """Return the number whose bits follow from those of a and b; `rule` has the results for 00, 01, 10, 11."""
    return int("".join(rule[2 * int(x) + int(y)] for x, y in zip(bits(a), bits(b), strict=True)), 2)


def shifted(a: int, count: int, direction: str, fill: str) -> int:
    """Return a moved by `count` places, `fill` coming in."""
    text = bits(a)
    return int((text + fill * count)[-32:] if direction == "left" else (fill * count + text)[:32], 2)


def quotient(a: int, b: int) -> int:
    """Return a / b rounded towards zero."""
    return math.trunc(Fraction(a, b))


def register(name: str, a: int, b: int) -> int:
    """Return rd of a register-register instruction, 0..2**32-1."""
    sa, sb = signed(bits(a)), signed(bits(b))
    count, sign = int(bits(b)[-5:], 2), bits(a)[0]
    match name:
        case "add":
            result = sa + sb
        case "sub":
            result = sa - sb
        case "and":
            result = each(a, b, "0001")
        case "or":
            result = each(a, b, "0111")
        case "xor":
            result = each(a, b, "0110")
        case "slt":
            result = int(Fraction(sa) - sb < 0)
        case "sltu":
            result = int(bits(a) < bits(b))
        case "sll":
            result = shifted(a, count, "left", "0")
        case "srl":
            result = shifted(a, count, "right", "0")
        case "sra":
            result = shifted(a, count, "right", sign)
        case "mul":
            result = int(bits(sa * sb, 64)[32:], 2)
        case "mulh":
            result = int(bits(sa * sb, 64)[:32], 2)
        case "mulhsu":
            result = int(bits(sa * b, 64)[:32], 2)
        case "mulhu":
            result = int(bits(a * b, 64)[:32], 2)
        case "div":
            result = -1 if b == 0 else quotient(sa, sb)
        case "divu":
            result = 2**32 - 1 if b == 0 else quotient(a, b)
        case "rem":
            result = sa if b == 0 else sa - sb * quotient(sa, sb)
        case "remu":
            result = a if b == 0 else a - b * quotient(a, b)
        case _:
            raise KeyError(name)
    return int(bits(result), 2)


def taken(name: str, a: int, b: int) -> bool:
    """Return whether a branch is taken."""
    less = {"": signed(bits(a)) < signed(bits(b)), "u": bits(a) < bits(b)}
    return {
        "beq": bits(a) == bits(b),
        "bne": bits(a) != bits(b),
        "blt": less[""],
        "bge": not less[""],
        "bltu": less["u"],
        "bgeu": not less["u"],
    }[name]


def loaded(name: str, data: bytes) -> int:
    """Return rd of a load from memory that begins with `data`."""
    size = {"b": 1, "h": 2, "w": 4}[name[1]]
    text = "".join(bits(byte, 8) for byte in reversed(data[:size]))
    return int(bits(int(text, 2) if name.endswith("u") else signed(text)), 2)
