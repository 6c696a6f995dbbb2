# leaves the input where the result belongs
# expect: mismatch
lui x1, 1
lw x3, 0(x1)
sw x3, 1024(x1)
lw x3, 4(x1)
sw x3, 1028(x1)
lw x3, 8(x1)
sw x3, 1032(x1)
lw x3, 12(x1)
sw x3, 1036(x1)
halt
