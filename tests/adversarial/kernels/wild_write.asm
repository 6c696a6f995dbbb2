# writes behind the data memory
# expect: trap
lui x1, 2
sw x0, 0(x1)
halt
