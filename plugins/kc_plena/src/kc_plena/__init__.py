"""PLENA for KernelCraft: a matrix/vector NPU with hardware loops and MXFP8 memory."""
