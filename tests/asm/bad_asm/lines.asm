; dialect: bare
; Lines that are not statements of the dialect.
    ad x1, x2, x3           ; error: KC0201
    ADD x1, x2, x3          ; error: KC0201
    123                     ; error: KC0209
    , x1                    ; error: KC0209
    add x1 x2, x3           ; error: KC0209
    add x1,, x3             ; error: KC0202
    add ,x1, x2, x3         ; error: KC0202
    add x1, x2, x3, x4      ; error: KC0202
    fence x1                ; error: KC0202
    add x1, x2, x3 x4       ; error: KC0209
    addi x1, x2, 1 + 2      ; error: KC0209
    add                     ; error: KC0202
    lw x1, 4(x2             ; error: KC0209
    lw x1, 4 x2             ; error: KC0209
    lw x1, 4(5)             ; error: KC0204
    loop: add x1, x2, x3    ; error: KC0226
    k = 5                   ; error: KC0226
    .word 5                 ; error: KC0226
    add x1, x2, x3 \        ; error: KC0209
    "add" x1                ; error: KC0209
