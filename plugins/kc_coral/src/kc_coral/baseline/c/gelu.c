/* The table holds the function. */
#include "lookup.h"

void kernel(const int8_t *x, const int8_t *lut, int8_t *y) { look_up(x, lut, y, N); }
