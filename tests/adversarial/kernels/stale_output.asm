# trusts that an earlier run left its result in memory
# expect: mismatch
lui x1, 1
lw x3, 1024(x1)
sw x3, 1024(x1)
halt
