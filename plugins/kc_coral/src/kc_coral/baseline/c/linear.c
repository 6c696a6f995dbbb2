/* One dot product of a row of X and a row of W for each result. */
#include "common.h"

void kernel(const int8_t *X, const int8_t *W, const int32_t *bias, int8_t *Y) {
  for (int b = 0; b < B; b++)
    for (int o = 0; o < HO; o++) Y[b * HO + o] = requantised(dot(X + b * HI, W + o * HI, HI, bias[o]), MUL, S);
}
