/* One dot product for each row. */
#include "common.h"

void kernel(const int8_t *A, const int8_t *x, int8_t *y) {
  for (int m = 0; m < M; m++) {
    int32_t sum = __riscv_vmv_x_s_i32m1_i32(dot(A + m * N, x, N, 0));
    y[m] = sat8((sum + (1 << (S - 1))) >> S);
  }
}
