.option norelax
/* Everything the dialect has; gnu_syntax.json holds the sections that GNU as and ld (binutils 2.40) make of it:
   .text at 0, .rodata, .data and .bss one after the other from 0x10000, each at a multiple of 16. Block
 comment */ .text # hi
.globl _start
_start: la a0, msg; li a1, 'A'
  lui a2, %hi(tab+4)
  lw a3, %lo(tab+4)(a2)
1: auipc a4, %pcrel_hi(tab)
  lw a5, %pcrel_lo(1b)(a4)
  lbu a6, msg
  sw a6, tab, t0
  nop
  li a0, 1+2*3<<1|4
  li a0, 0x80000000
  li a0, -2049
  li a0, 010
  li a0, -(3-7)%3
  li a0, ~5 & 0xff ^ 3
  beqz a0, 1f
  j 1b
1: .word 0x08000073
  call fn
  tail fn
  jal fn
  jalr a0
  jalr a0, a1
  jalr a0, a1, 4
  jr 4(a0)
  jr a0
  fence
  fence rw,w
  fence iorw, ow
  fence.tso
  add a0,a0,5
  sll a0,a0,3
  lw a0, (a1)
  sw a0, (a1)
  .byte 1
  .byte 2,3
  .balign 8
fn: ret
  .p2align 4
  nop
  .align 3
  csrrw a0, 0x340, a1
  csrw mscratch, 5
  csrr a0, mcycle
  csrsi 0x9, 1
  addi a0, a0, '\n'
  sub a0, zero, a1
2: beq a0, a1, 2b
  bgtu a0, a1, 2f
  nop
2:
  addi	s0 , s1 , -0x10
  nop
  lui a0, (0x12345678+0x800)>>12
  andi a0, a0, %lo(0x12345fff)
  .section .rodata,"a",@progbits
msg: .asciz "he\"l#lo;\n\t\101\x41 //"
  .ascii "a","b"
end:
  .data
  .p2align 2
tab: .word 1, msg, end - msg, .-tab, -1, 'x', tab+8
  .half 1, -2; .2byte 3
  .zero 3
  .balign 4, 0xff
  .space 5, 7
  .quad 0x123456789abcdef0
  .bss
  .balign 4
zeros: .space 12
  .comm buf, 100, 8
  .data
  .set two, 2
  .equ three, two+1
four = three + 1
  .word four, three*two
  .section .rodata.str1.1,"aMS",@progbits,1
  .string "x /* y */"
  .section	".note.GNU-stack","",@progbits
  .text
  lla t1, .Lhere
.Lhere: j .
  .section .sdata,"aw"
small: .word cold, buf, buf+4
  .text
  la t2, small
  la a0, buf
  la a0, 0x20000000
  .size _start, .-_start
  .type msg,@object
  .ident "x;y"
  .p2align 4
  .section .text.unlikely,"ax",@progbits
  .globl cold
cold: bnez a0, cold
