/* The sums and the root of the norms. */
#include "common.h"

static inline uint32_t square_root(uint32_t v) {
  uint32_t root = 0;
  for (uint32_t bit = 1u << 30; bit; bit >>= 2) {
    uint32_t tried = root + bit;
    root >>= 1;
    if (v >= tried) {
      v -= tried;
      root += bit;
    }
  }
  return root;
}

static inline int32_t sum_of(const int8_t *x) {
  vint32m1_t sum = __riscv_vmv_v_x_i32m1(0, 1);
  for (int i = 0; i < N;) {
    size_t vl = __riscv_vsetvl_e8m4(N - i);
    vint16m8_t wide = __riscv_vsext_vf2_i16m8(__riscv_vle8_v_i8m4(x + i, vl), vl);
    sum = __riscv_vwredsum_vs_i16m8_i32m1(wide, sum, vl);
    i += vl;
  }
  return __riscv_vmv_x_s_i32m1_i32(sum);
}

static inline int32_t squares_of(const int8_t *x, int16_t mean) {
  vint32m1_t sum = __riscv_vmv_v_x_i32m1(0, 1);
  for (int i = 0; i < N;) {
    size_t vl = __riscv_vsetvl_e8m2(N - i);
    vint16m4_t d = __riscv_vsext_vf2_i16m4(__riscv_vle8_v_i8m2(x + i, vl), vl);
    d = __riscv_vsub_vx_i16m4(d, mean, vl);
    sum = __riscv_vredsum_vs_i32m8_i32m1(__riscv_vwmul_vv_i32m8(d, d, vl), sum, vl);
    i += vl;
  }
  return __riscv_vmv_x_s_i32m1_i32(sum);
}

/* floor(2^20 / max(1, isqrt(256 v))) of the mean square v. */
static inline int32_t inverse_root(int32_t squares) {
  uint32_t variance = (uint32_t)(squares + (1 << (L - 1))) >> L;
  uint32_t root = square_root(variance << 8);
  return (1 << 20) / (root ? root : 1);
}

/* Bytes as words. */
static inline vint32m4_t words(const int8_t *x, size_t vl) {
  return __riscv_vsext_vf4_i32m4(__riscv_vle8_v_i8m1(x, vl), vl);
}

/* rnu(rnu(d inverse, 11) gamma, 7) */
static inline vint32m4_t scaled(vint32m4_t d, int32_t inverse, vint32m4_t gamma, size_t vl) {
  vint32m4_t t = __riscv_vssra_vx_i32m4(__riscv_vmul_vx_i32m4(d, inverse, vl), 11, RNU, vl);
  return __riscv_vssra_vx_i32m4(__riscv_vmul_vv_i32m4(t, gamma, vl), 7, RNU, vl);
}

static inline void put(int8_t *y, vint32m4_t v, size_t vl) {
  vint16m2_t halves = __riscv_vnclip_wx_i16m2(v, 0, RNU, vl);
  __riscv_vse8_v_i8m1(y, __riscv_vnclip_wx_i8m1(halves, 0, RNU, vl), vl);
}
