# uses a delayed load before it is there
# expect: trap
lui x1, 1
ldd x3, 0(x1)
add x4, x3, x3
sw x4, 1024(x1)
halt
