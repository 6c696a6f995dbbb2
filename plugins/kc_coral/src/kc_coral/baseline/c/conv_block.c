/* As conv2d, with multiplier and shift of each channel, and nothing below 0. */
#include "convolve.h"

void kernel(const int8_t *X, const int8_t *W, const int32_t *bias, const int32_t *mult, const int32_t *shift, int8_t *Y) {
  for (int y = 0; y < H; y++)
    for (int x = 0; x < H; x++)
      for (int o = 0; o < CO;) {
        size_t vl = __riscv_vsetvl_e8m2(CO - o);
        vint32m8_t sums = convolve(X, W + o, bias + o, y, x, vl);
        sums = __riscv_vsmul_vv_i32m8(sums, __riscv_vle32_v_i32m8(mult + o, vl), RNU, vl);
        vuint32m8_t by = __riscv_vle32_v_u32m8((const uint32_t *)shift + o, vl);
        sums = __riscv_vmax_vx_i32m8(__riscv_vssra_vv_i32m8(sums, by, RNU, vl), 0, vl);
        __riscv_vse8_v_i8m2(Y + (y * H + x) * CO + o, narrow(sums, 0, vl), vl);
        o += vl;
      }
}
