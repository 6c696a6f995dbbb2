"""Random programs on Spike, the reference simulator of RISC-V International, next to the target.

`programs.py` makes programs that both must agree on, `differences.py` lists what the hardware does otherwise than the standard,
`image.py` packs a batch of programs into one ELF file, `supervisor.py` is what runs them on Spike, `spike.py` starts it, and
`compare.py` says what differs.
"""
