"""The calling convention of a workload in words: what people and agents are told about its data."""

from __future__ import annotations

from kc_coral.shapes import Layout, layout

_RULES: dict[str, str] = {
    "silu": "Y[i] = lut[x[i] + 128]; lut holds 16 silu(q / 16) for q = -128..127",
    "relu": "Y[i] = max(x[i], 0)",
    "gelu": "Y[i] = lut[x[i] + 128]; lut holds 16 gelu(q / 16) for q = -128..127, the exact gelu",
    "softmax": "per row: m = max x; e = exp[m - x] (exp[d] is 2^15 e^(-d/32)); T = sum e; Y = (255 e + floor(T / 2)) div T - 128",
    "layernorm": "mu = rnu(sum x, L); d = x - mu; v = rnu(sum d^2, L); q = max(1, isqrt(256 v)); inv = floor(2^20 / q); "
    "t = rnu(d inv, 11); Y = sat8(rnu(t gamma, 7) + beta)",
    "rmsnorm": "v = rnu(sum x^2, L); q = max(1, isqrt(256 v)); inv = floor(2^20 / q); t = rnu(x inv, 11); "
    "Y = sat8(rnu(t gamma, 7))",
    "gemv": "Y[m] = sat8(rnu(sum_n A[m][n] x[n], S))",
    "gemm": "Y[m][n] = sat8(rnu(sum_k A[m][k] B[k][n], S))",
    "batch_matmul": "Y[b][m][n] = sat8(rnu(sum_k A[b][m][k] B[b][k][n], S))",
    "linear": "Y[b][o] = sat8(rq(sum_i X[b][i] W[o][i] + bias[o], MUL, S))",
    "conv2d": "stride 1, (KS - 1) / 2 zeros around X; Y[y][x][o] = sat8(rq(sum_rsc X[y + r - p][x + s - p][c] W[r][s][c][o] + "
    "bias[o], MUL, S)) with p = (KS - 1) / 2",
    "depthwise_conv": "stride 1, (KS - 1) / 2 zeros around X; Y[y][x][c] = sat8(rq(sum_rs X[y + r - p][x + s - p][c] "
    "W[r][s][c] + bias[c], MUL, S)) with p = (KS - 1) / 2",
    "ffn": "a = sat8(rq(X W1^T + b1, MUL, S1)); u = lut[a + 128] (silu); Y = sat8(rq(u W2^T + b2, MUL, S2))",
    "swiglu": "g = sat8(rq(X Wg^T, MUL, S1)); u = sat8(rq(X Wu^T, MUL, S1)); p = sat8(rnu(lut[g + 128] u, 7)) (lut is silu); "
    "Y = sat8(rq(p Wd^T, MUL, S2))",
    "conv_block": "stride 1, (KS - 1) / 2 zeros around X; Y[y][x][o] = clip(rq(sum_rsc X[y + r - p][x + s - p][c] "
    "W[r][s][c][o] + bias[o], mult[o], shift[o]), 0, 127) with p = (KS - 1) / 2: convolution, folded batch "
    "normalisation, ReLU",
}
"""Task -> what is computed, in integers."""

_STEPS = (
    ("rnu(", "rnu(v, s) = (v + 2^(s-1)) >> s"),
    (
        "rq(",
        "rq(v, M, s) = rnu(smul(v, M), s) with smul(v, M) = (v M + 2^30) >> 31, limited to 32 bits: vsmul, then vssra",
    ),
    ("rq(", "rnu(v, s) = (v + 2^(s-1)) >> s, and v for s = 0"),
    ("sat8(", "sat8 limits to -128..127"),
)


def _steps(rule: str) -> str:
    """Return the abbreviations that a rule uses."""
    texts = dict.fromkeys(text for sign, text in _STEPS if sign in rule)
    if "rnu(" in rule and "rq(" in rule:
        texts.pop(_STEPS[0][1])
    return "; ".join(texts)


def _arrays(place: Layout) -> list[str]:
    """Return one row per argument."""
    lines = ["| argument | array | type | shape | address | bytes |", "| --- | --- | --- | --- | --- | --- |"]
    for index, array in enumerate((*place.inputs, place.output)):
        shape = " x ".join(str(size) for size in array.shape)
        name = f"{array.name} (result)" if array is place.output else array.name
        lines.append(f"| a{index} | {name} | {array.dtype} | {shape} | {array.address:#x} | {array.size} |")
    return lines


def describe(task: str, config: str) -> str:
    """Return the layout of a workload as Markdown. Raises: KeyError, ValueError for another task or config."""
    place = layout(task, config)
    symbols = ", ".join(f"{name} = {value}" for name, value in place.symbols.items())
    rule = _RULES[task]
    steps = _steps(rule)
    lines = [
        f"Symbols defined for the kernel's text: {symbols}.",
        "",
        "Arguments, row-major arrays in external memory, little endian:",
        "",
        *_arrays(place),
        "",
        f"Result: {rule}.",
        *(["", f"Where {steps}."] if steps else []),
        "",
        "The text defines the label `kernel`, which is called with these arguments and returns with `ret`. External memory "
        "outside the inputs holds 0. Nothing but the result and the DTCM may be written.",
    ]
    return "\n".join(lines) + "\n"
