# computes one element and writes it four times
# expect: mismatch
lui x1, 1
lw x3, 0(x1)
add x4, x3, x3
add x4, x4, x3
sw x4, 1024(x1)
sw x4, 1028(x1)
sw x4, 1032(x1)
sw x4, 1036(x1)
halt
