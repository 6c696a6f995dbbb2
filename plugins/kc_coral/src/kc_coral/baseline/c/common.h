/* What the kernels share. Sizes, shifts and the multiplier come as macros (-D), see kc_coral/shapes.py. */
#ifndef KC_CORAL_COMMON_H
#define KC_CORAL_COMMON_H

#include <riscv_vector.h>
#include <stddef.h>
#include <stdint.h>

#define RNU __RISCV_VXRM_RNU

static inline int8_t sat8(int32_t v) {
  if (v > 127) return 127;
  if (v < -128) return -128;
  return (int8_t)v;
}

/* Sums to bytes: shifted with rounding, saturated on the way to 16 and to 8 bits. */
static inline vint8m2_t narrow(vint32m8_t sums, size_t shift, size_t vl) {
  vint16m4_t halves = __riscv_vnclip_wx_i16m4(sums, shift, RNU, vl);
  return __riscv_vnclip_wx_i8m2(halves, 0, RNU, vl);
}

/* Sum of n products of bytes, from `start` on. */
static inline vint32m1_t dot(const int8_t *a, const int8_t *b, int n, int32_t start) {
  vint32m1_t sum = __riscv_vmv_v_x_i32m1(start, 1);
  while (n > 0) {
    size_t vl = __riscv_vsetvl_e8m4(n);
    vint8m4_t x = __riscv_vle8_v_i8m4(a, vl);
    vint8m4_t y = __riscv_vle8_v_i8m4(b, vl);
    sum = __riscv_vwredsum_vs_i16m8_i32m1(__riscv_vwmul_vv_i16m8(x, y, vl), sum, vl);
    a += vl;
    b += vl;
    n -= vl;
  }
  return sum;
}

/* A sum to a byte: times mult / 2^31, shifted with rounding, saturated. */
static inline int8_t requantised(vint32m1_t sum, int32_t mult, size_t shift) {
  vint32m1_t scaled = __riscv_vsmul_vx_i32m1(sum, mult, RNU, 1);
  return sat8(__riscv_vmv_x_s_i32m1_i32(__riscv_vssra_vx_i32m1(scaled, shift, RNU, 1)));
}

#endif
