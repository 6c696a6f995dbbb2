# writes -1 everywhere
# expect: mismatch
lui x1, 1
addi x3, x0, -1
sw x3, 1024(x1)
sw x3, 1028(x1)
sw x3, 1032(x1)
sw x3, 1036(x1)
halt
