/* Two layers side by side, their product, and a third layer. */
#include "common.h"

static int8_t hidden[HI];

void kernel(const int8_t *X, const int8_t *Wg, const int8_t *Wu, const int8_t *Wd, const int8_t *lut, int8_t *Y) {
  for (int n = 0; n < N; n++) {
    for (int o = 0; o < HI; o++) {
      int32_t gate = lut[requantised(dot(X + n * H, Wg + o * H, H, 0), MUL, S1) + 128];
      int32_t up = requantised(dot(X + n * H, Wu + o * H, H, 0), MUL, S1);
      hidden[o] = sat8((gate * up + 64) >> 7);
    }
    for (int o = 0; o < H; o++) Y[n * H + o] = requantised(dot(hidden, Wd + o * HI, HI, 0), MUL, S2);
  }
}
