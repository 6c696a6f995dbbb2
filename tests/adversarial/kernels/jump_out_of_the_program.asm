# jumps to where no instruction is
# expect: trap
jal x0, 1024
halt
