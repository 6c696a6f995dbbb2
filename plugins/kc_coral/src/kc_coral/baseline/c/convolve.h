/* The sums of a convolution for up to 32 output channels of one pixel. */
#include "common.h"

static inline vint32m8_t convolve(const int8_t *X, const int8_t *W, const int32_t *bias, int y, int x, size_t vl) {
  const int edge = (KS - 1) / 2;
  vint32m8_t sums = __riscv_vle32_v_i32m8(bias, vl);
  for (int r = 0; r < KS; r++) {
    int row = y + r - edge;
    if (row < 0 || row >= H) continue;
    for (int s = 0; s < KS; s++) {
      int column = x + s - edge;
      if (column < 0 || column >= H) continue;
      const int8_t *pixel = X + (row * H + column) * CI;
      const int8_t *filter = W + (r * KS + s) * CI * CO;
      for (int c = 0; c < CI; c++) {
        vint16m4_t w = __riscv_vsext_vf2_i16m4(__riscv_vle8_v_i8m2(filter + c * CO, vl), vl);
        sums = __riscv_vwmacc_vx_i32m8(sums, pixel[c], w, vl);
      }
    }
  }
  return sums;
}
