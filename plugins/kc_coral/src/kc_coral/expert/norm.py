"""LayerNorm and RMSNorm: one pass for the sums, one for the results, loads and stores without gaps.

The load/store unit is the limit. 16 lines of x stay in registers between the passes; the others are loaded again,
which costs no more than a detour over the tightly coupled memory. The first lines of gamma and beta are loaded while
the scalar unit finds root and factor (`kc_coral.expert.root`), later ones as soon as their registers are free.

First pass: x x of two pairs of lines in 16 bits (at most 2 * 2**14), then one widening sum; x itself is summed in 16
bits over 256 elements at most, which fits, then in 32 bits.

Second pass, in 16 bits throughout: t = vsmul(d 2**k, m); rnu(t gamma, 7) = vsmul(t, 256 gamma), exact as vsmul shifts
by 15; beta is added; `vnclip` saturates. |t| is at most 8160 for a variance of 1 and more (|d| <= 255, inv <= 2**16)
and 512 * 63 for 0; times 127 / 128, plus 32, that fits.

At most 6 micro-ops of arithmetic stand between two accesses where it can be had: the reorder buffer takes 8, in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from kc_coral.expert.emit import Kernel, at, v
from kc_coral.expert.root import FACTOR, LOAD, MEAN, SHIFT, back, factors, rare_factors

LINE, PAIR, GROUP = 16, 32, 256
"""Elements of a vector register, of two, and of one round of the first pass."""
PAIRS = GROUP // PAIR
_PRODUCTS, _SUM16, _SQUARES, _SUM = 0, 4, 5, 6
_RING = (8, 10, 12, 14) * 2
"""Vector registers, first pass: x x in 16 bits (four); sum of a round; both sums; pairs of x that are not kept."""
_D, _GAMMA, _Y, _X = 0, 2, 4, (6, 7)
"""Second pass: d and gamma in 16 bits (two each), result, lines of x that were not kept."""
_KEPT = 16
"""First register of the lines of x that are kept, and how many these are."""
_KEPT_PAIRS = tuple(range(_KEPT, 32, 2))
_FULL = 1 << 30
"""As a number of lines: more than there are."""

_ORDER = "sub shift S ext scale high Lg mul add Lx clip Lb"
"""Of a line in the second pass. S stores the line before; Lg, Lb, Lx load later ones into registers just read."""


@dataclass(frozen=True)
class _Norm:
    """What a program is made for.

    Attributes:
        k: the text. n: elements.
        beta: there is a mean, and beta. gammas, betas: registers that lines of gamma and beta take in turn.
        y: pointer to the result.
    """

    k: Kernel
    n: int
    beta: bool
    gammas: Sequence[int]
    betas: Sequence[int]
    y: str

    @property
    def lines(self) -> int:
        """Return the lines of x."""
        return self.n // LINE


def layernorm(n: int) -> str:
    """Return the program for n elements, a power of two from 256 to 8192."""
    spare = _X if n == GROUP else ()
    gammas, betas = (8, 9, 10, 11, *spare[:1]), (12, 13, 14, 15, *spare[1:])
    return _program(_Norm(Kernel(f"layernorm {n}"), n, True, gammas, betas, "a3"))


def rmsnorm(n: int) -> str:
    """Return the program for n elements, a power of two from 256 to 8192."""
    return _program(_Norm(Kernel(f"rmsnorm {n}"), n, False, range(8, 16), (), "a2"))


def _program(p: _Norm) -> str:
    early = _early(p)
    _sums(p, early)
    for statement in factors(p.n, v(_SUM) if p.beta else None, v(_SQUARES)):
        if statement == LOAD:
            next(early, None)
        else:
            p.k.op(*statement.split(None, 1))
    back(p.k)
    for _ in early:
        pass
    _results(p)
    p.k.op("ret")
    rare_factors(p.k)
    return p.k.text()


def _early(p: _Norm) -> Iterator[None]:
    """Append a load of gamma or beta of the first lines at every step."""
    for turn, gamma in enumerate(p.gammas):
        _load_line(p.k, "a1", gamma)
        yield
        if p.beta:
            _load_line(p.k, "a2", p.betas[turn])
            yield


def _load_line(k: Kernel, pointer: str, register: int) -> None:
    k.op("vl1re8.v", v(register), at(pointer))
    k.op("addi", pointer, pointer, LINE)


# ----------------------------------------------------------------------------------------------------------- first pass


def _sums(p: _Norm, early: Iterator[None]) -> None:
    """Append the sums of x and x x. The last round takes the lines that are kept: the first ones of x."""
    k, rounds = p.k, p.n // GROUP - 1
    k.op("li", "t0", PAIR)
    k.op("vsetvli", "zero", "t0", "e8", "m2", "ta", "ma")
    k.op("addi", "t1", "a0", GROUP if rounds else 0)
    for pair in (_RING if rounds else _KEPT_PAIRS)[:2]:
        _load_pair(k, pair)
    k.op("vmv.v.i", v(_SUM16), 0)  # and the squares
    k.op("vmv.v.i", v(_SUM), 0)
    if rounds > 1:
        with k.loop("t2", rounds - 1):
            _round(p, _RING, lambda ahead: _load_pair(k, _RING[ahead % PAIRS]))
    if rounds:
        _round(p, _RING, lambda ahead: _load_towards_kept(k, ahead))
    _round(p, _KEPT_PAIRS, lambda ahead: _load_pair(k, _KEPT_PAIRS[ahead]) if ahead < PAIRS else next(early, None))


def _load_pair(k: Kernel, register: int) -> None:
    k.op("vl2re8.v", v(register), at("t1"))
    k.op("addi", "t1", "t1", PAIR)


def _load_towards_kept(k: Kernel, ahead: int) -> None:
    """Append the load of a pair of the last round before the kept lines; behind it these begin."""
    if ahead == PAIRS:
        k.op("mv", "t1", "a0")
    _load_pair(k, _RING[ahead] if ahead < PAIRS else _KEPT_PAIRS[ahead - PAIRS])


def _round(p: _Norm, pairs: Sequence[int], load: Callable[[int], None]) -> None:
    """Append the sums over 256 elements; `load(i)` appends the load of the pair i of this round or the next one."""
    k = p.k
    for i, pair in enumerate(pairs):
        load(i + 2)
        k.op("vwmacc.vv" if i % 2 else "vwmul.vv", v(_PRODUCTS), v(pair), v(pair))
        if p.beta:
            k.op("vwredsum.vs", v(_SUM16), v(pair), v(_SUM16))
        if i % 2:
            k.op("vsetvli", "zero", "zero", "e16", "m4", "ta", "ma")
            k.op("vwredsumu.vs", v(_SQUARES), v(_PRODUCTS), v(_SQUARES))
            k.op("vsetvli", "zero", "zero", "e8", "m2", "ta", "ma")
    if p.beta:
        k.op("vsetivli", "zero", 1, "e16", "m1", "ta", "ma")
        k.op("vwredsum.vs", v(_SUM), v(_SUM16), v(_SUM))
        k.op("vmv.v.i", v(_SUM16), 0)
        k.op("vsetvli", "zero", "t0", "e8", "m2", "ta", "ma")


# ---------------------------------------------------------------------------------------------------------- second pass


def _results(p: _Norm) -> None:
    """Append the results: kept lines, the others in a loop, the last ones without loads of what is not there."""
    k, turns = p.k, len(p.gammas)
    k.op("vsetivli", "zero", LINE, "e8", "m1", "ta", "ma")
    k.op("addi", "a0", "a0", GROUP)
    for i in range(_KEPT):
        _line(p, i, p.lines)
    rest = p.lines - _KEPT
    if rest > turns:
        with k.loop("t1", rest // turns - 1):
            for i in range(turns):
                _line(p, _KEPT + i, _FULL)
    for i in range(p.lines - min(turns, rest), p.lines):
        _line(p, i, p.lines)
    k.op("vs1r.v", v(_Y), at(p.y))


def _line(p: _Norm, i: int, lines: int) -> None:
    """Append the result of line i, of `lines` in all, with loads for the next turn of its registers."""
    k, turn = p.k, i % len(p.gammas)
    more = i + len(p.gammas) < lines
    d, wide_gamma, gamma, x = v(_D), v(_GAMMA), p.gammas[turn], _KEPT + i if i < _KEPT else _X[i % 2]
    steps: dict[str, tuple[object, ...]] = {
        "sub": ("e8", "vwsub.vx", d, v(x), MEAN),
        "shift": ("e16", "vsll.vx", d, d, SHIFT),
        "scale": ("e16", "vsmul.vx", d, d, FACTOR),
        "ext": ("e16", "vsext.vf2", wide_gamma, v(gamma)),
        "high": ("e16", "vsll.vi", wide_gamma, wide_gamma, 8),
        "mul": ("e16", "vsmul.vv", d, d, wide_gamma),
        "add": ("e8", "vwadd.wv", d, d, v(p.betas[turn])) if p.beta else (),
        "clip": ("e8", "vnclip.wi", v(_Y), d, 0),
    }
    width = "e8"
    for step in _ORDER.split():
        match step:
            case "S" if i:
                k.op("vs1r.v", v(_Y), at(p.y))
                k.op("addi", p.y, p.y, LINE)
            case "Lx" if _KEPT <= i + 2 < lines:
                _load_line(k, "a0", _X[i % 2])
            case "Lg" if more:
                _load_line(k, "a1", gamma)
            case "Lb" if more and p.beta:
                _load_line(k, "a2", p.betas[turn])
            case _ if operation := steps.get(step):
                wanted, mnemonic, *operands = operation
                if wanted != width:
                    width = str(wanted)
                    k.op("vsetvli", "zero", "zero", width, "m1" if width == "e8" else "m2", "ta", "ma")
                k.op(str(mnemonic), *operands)
