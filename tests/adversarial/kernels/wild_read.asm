# reads below the data memory
# expect: trap
lw x3, 0(x0)
halt
