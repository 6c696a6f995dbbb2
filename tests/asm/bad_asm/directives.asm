# dialect: toy
# Directives, targets out of reach, pseudo-instructions.
start:
    .wrod 5                 # error: KC0230
    .word                   # error: KC0231
    .word 1,                # error: KC0231
    .word 1 2               # error: KC0231
    .space 1, 2             # error: KC0231
    .space -1               # error: KC0231
    .align 31               # error: KC0231
    .balign 0               # error: KC0231
    .equ k                  # error: KC0231
    .global x1              # error: KC0222
    .byte 256               # error: KC0234
    .byte 1, -129           # error: KC0234
    .half 1 << 16           # error: KC0234
    .space 10 ** 18         # error: KC0231
    .space 1000000000000000000 # error: KC0232
    .org 1 << 62            # error: KC0232
    beq x0, x0, start + 8000 # error: KC0227
    beq x0, x0, start + 1   # error: KC0227
    small x1, -5            # error: KC0241
