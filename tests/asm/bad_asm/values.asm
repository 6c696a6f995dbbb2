; dialect: bare
; Numbers that are malformed or do not fit.
    addi x1, x2, 2048       ; error: KC0203
    addi x1, x2, -2049      ; error: KC0203
    lui x1, -1              ; error: KC0203
    lui x1, 1048576         ; error: KC0203
    lui x1, 0x100000        ; error: KC0203
    beq x1, x2, 3           ; error: KC0207
    beq x1, x2, 4096        ; error: KC0203
    slli x1, x2, 32         ; error: KC0203
    addi x1, x2, 1_000      ; error: KC0213
    addi x1, x2, 0x         ; error: KC0213
    addi x1, x2, 0xG        ; error: KC0213
    addi x1, x2, 0b1        ; error: KC0213
    addi x1, x2, 12abc      ; error: KC0213
    addi x1, x2, 1.5        ; error: KC0213
    addi x1, x2, 1e3        ; error: KC0213
    addi x1, x2, +1         ; error: KC0213
    addi x1, x2, --1        ; error: KC0209
    addi x1, x2, - -1       ; error: KC0209
