/* y = max(x, 0) */
#include "common.h"

void kernel(const int8_t *x, int8_t *y) {
  for (int n = N; n > 0;) {
    size_t vl = __riscv_vsetvl_e8m8(n);
    __riscv_vse8_v_i8m8(y, __riscv_vmax_vx_i8m8(__riscv_vle8_v_i8m8(x, vl), 0, vl), vl);
    x += vl;
    y += vl;
    n -= vl;
  }
}
