# dialect: toy
# What did not fit into the other files.
    mul x1, x2, x3          # error: KC0214
    addi x1, x2, 'a'        # error: KC0209
    li x1, 0x100000000      # error: KC0203
    bz x8, 4                # error: KC0204
    inc x1, 4000            # error: KC0203
    mad x1, x2, x3, 1, 2, 3 # error: KC0208
    mad x1, x2, x3, 1, 32   # error: KC0203
    nop; add x1, x2; nop    # error: KC0202
    k = x1                  # error: KC0231
    k =                     # error: KC0231
    l = 1 2                 # error: KC0231
    lw x1, 4                # error: KC0209
    .long 1
    .org 2                  # error: KC0233
    j                       # error: KC0202
    nop 1                   # error: KC0202
    addi x1, x2, 3)         # error: KC0209
    addi x1, x2, (3 x4)     # error: KC0224
