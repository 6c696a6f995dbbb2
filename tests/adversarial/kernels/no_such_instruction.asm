# uses an instruction of another machine
# expect: syntax_error
vadd.vv v0, v1, v2
halt
