"""What a plug-in's tests build on: base test classes, random programs from an ISA, comparison of runs, hypothesis strategies."""
