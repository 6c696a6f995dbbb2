# the kernel of C2: 32 words instead of 4, over the end of the input
# expect: trap
lui x1, 1
li x2, 2000
next:
lw x3, 0(x1)
add x4, x3, x3
add x4, x4, x3
sw x4, 1024(x1)
addi x1, x1, 4
addi x2, x2, -1
bltu x0, x2, next
halt
