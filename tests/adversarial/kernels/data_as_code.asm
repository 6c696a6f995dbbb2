# executes a word that is no instruction
# expect: trap
lui x1, 1
.word 0x0000000c
halt
