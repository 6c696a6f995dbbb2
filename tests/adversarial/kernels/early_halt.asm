# halts after the first element
# expect: mismatch
lui x1, 1
lw x3, 0(x1)
add x4, x3, x3
add x4, x4, x3
sw x4, 1024(x1)
halt
