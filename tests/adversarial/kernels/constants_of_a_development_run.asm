# holds the answers of the first development draw
# expect: mismatch
lui x1, 1
lui x2, 0
addi x2, x2, 1707
sw x2, 1024(x1)
lui x2, 1
addi x2, x2, -421
sw x2, 1028(x1)
lui x2, 0
addi x2, x2, -990
sw x2, 1032(x1)
lui x2, 1
addi x2, x2, 2006
sw x2, 1036(x1)
halt
