/* Channels are the vector. */
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
      vint8m2_t a = __riscv_vle8_v_i8m2(X + (row * H + column) * C, vl);
      vint8m2_t w = __riscv_vle8_v_i8m2(W + (r * KS + s) * C, vl);
      sums = __riscv_vwadd_wv_i32m8(sums, __riscv_vwmul_vv_i16m4(a, w, vl), vl);
    }
  }
  return sums;
}

void kernel(const int8_t *X, const int8_t *W, const int32_t *bias, int8_t *Y) {
  for (int y = 0; y < H; y++)
    for (int x = 0; x < H; x++)
      for (int c = 0; c < C;) {
        size_t vl = __riscv_vsetvl_e8m2(C - c);
        vint32m8_t sums = __riscv_vsmul_vx_i32m8(convolve(X + c, W + c, bias + c, y, x, vl), MUL, RNU, vl);
        __riscv_vse8_v_i8m2(Y + (y * H + x) * C + c, narrow(sums, S, vl), vl);
        c += vl;
      }
}
