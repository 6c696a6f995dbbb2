# dialect: toy
# Symbols, expressions and constants.
    beq x1, x2, nowhere     # error: KC0220
here:                       # defined once
here: nop                   # error: KC0221
here = 5                    # error: KC0221
x1: nop                     # error: KC0222
sp = 1                      # error: KC0222
. = 5                       # error: KC0222
.global missing             # error: KC0220
a = b                       # error: KC0223
b = c
c = a + 1
    lui x1, a               # not reported again
d = d                       # error: KC0223
    addi x1, x2, 1 / 0      # error: KC0224
    addi x1, x2, 1 << 600   # error: KC0224
    addi x1, x2, (1 + 2     # error: KC0224
    addi x1, x2, 1 +        # error: KC0224
    addi x1, x2, 1 + x3     # error: KC0224
    addi x1, x2, 1 * * 2    # error: KC0224
    beq x1, x2, here + here # error: KC0224
    addi x1, x2, x3         # error: KC0204
    .space later            # error: KC0225
    li x1, 1 / (here - here) # error: KC0224
later = 5
