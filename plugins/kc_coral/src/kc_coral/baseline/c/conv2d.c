/* Output channels are the vector. */
#include "convolve.h"

void kernel(const int8_t *X, const int8_t *W, const int32_t *bias, int8_t *Y) {
  for (int y = 0; y < H; y++)
    for (int x = 0; x < H; x++)
      for (int o = 0; o < CO;) {
        size_t vl = __riscv_vsetvl_e8m2(CO - o);
        vint32m8_t sums = __riscv_vsmul_vx_i32m8(convolve(X, W + o, bias + o, y, x, vl), MUL, RNU, vl);
        __riscv_vse8_v_i8m2(Y + (y * H + x) * CO + o, narrow(sums, S, vl), vl);
        o += vl;
      }
}
