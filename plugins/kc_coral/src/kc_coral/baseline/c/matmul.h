/* C[M][N] = A[M][K] B[K][N], a row of C at a time: element k of a row of A times row k of B. */
#include "common.h"

static inline void multiply(const int8_t *A, const int8_t *B, int8_t *C) {
  for (int m = 0; m < M; m++)
    for (int n = 0; n < N;) {
      size_t vl = __riscv_vsetvl_e8m2(N - n);
      vint32m8_t sums = __riscv_vmv_v_x_i32m8(0, vl);
      for (int k = 0; k < K; k++) {
        vint16m4_t b = __riscv_vsext_vf2_i16m4(__riscv_vle8_v_i8m2(B + k * N + n, vl), vl);
        sums = __riscv_vwmacc_vx_i32m8(sums, A[m * K + k], b, vl);
      }
      __riscv_vse8_v_i8m2(C + m * N + n, narrow(sums, S, vl), vl);
      n += vl;
    }
}
