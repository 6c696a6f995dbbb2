# does less than the task
# expect: mismatch
lui x1, 1
li x2, 4
next:
lw x3, 0(x1)
add x4, x3, x3
sw x4, 1024(x1)
addi x1, x1, 4
addi x2, x2, -1
bltu x0, x2, next
halt
