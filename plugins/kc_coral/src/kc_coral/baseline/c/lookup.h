/* y[i] = lut[x[i] + 128]: a byte with its top bit flipped is the index. */
#include "common.h"

static inline void look_up(const int8_t *x, const int8_t *lut, int8_t *y, int n) {
  while (n > 0) {
    size_t vl = __riscv_vsetvl_e8m8(n);
    vuint8m8_t index = __riscv_vxor_vx_u8m8(__riscv_vle8_v_u8m8((const uint8_t *)x, vl), 0x80, vl);
    __riscv_vse8_v_i8m8(y, __riscv_vluxei8_v_i8m8(lut, index, vl), vl);
    x += vl;
    y += vl;
    n -= vl;
  }
}
