; dialect: bare
; Operands of the wrong class, number or size.
    add x1, x2, 3            ; error: KC0204
    add x1, x2, 0            ; error: KC0204
    addi x1, x2, x3          ; error: KC0204
    addi x1, c2, 3           ; error: KC0204
    cfg none, x1             ; error: KC0204
    cfg x1, c1               ; error: KC0208
    cfg 1, c1                ; error: KC0208
    cfg 00, c1               ; error: KC0208
    add x1, x2, x32          ; error: KC0205
    cfg none, c8             ; error: KC0205
    mix c1, x8               ; error: KC0204
    add x1, x2, x99999999999 ; error: KC0205
    add x1, x2, x01          ; error: KC0206
    add x1, x2, X3           ; error: KC0206
    add x1, x2, x3_r         ; error: KC0206
    add x1, x2, foo          ; error: KC0206
    addi x1, x2, foo         ; error: KC0206
    addi x1, x2, loop+1      ; error: KC0206
    add x1, x2               ; error: KC0202
    add x1, x2,              ; error: KC0202
