# adds in 16 bits, as if no value were larger: the large family overflows them
# expect: mismatch
lui x1, 1
li x2, 4
lui x6, 1
mul x6, x6, x6
next:
lw x3, 0(x1)
add x4, x3, x3
add x4, x4, x3
li x5, 4
bltu x3, x6, small
add x4, x3, x3
small:
sw x4, 1024(x1)
addi x1, x1, 4
addi x2, x2, -1
bltu x0, x2, next
halt
