/* A kernels.so for tests: (x0: f32[2]) -> f32: lambda i0, i1: x0[i0, i1] + 1 */
#include <stdint.h>

void add_one(char *const *pointers, const int64_t *numbers) {
  float *to = (float *)pointers[0];
  const float *from = (const float *)pointers[1];
  for (int64_t i = numbers[0]; i < numbers[1]; ++i)
    for (int64_t j = numbers[2]; j < numbers[3]; ++j)
      to[(i - numbers[4]) * numbers[5] + (j - numbers[6]) * numbers[7]] =
          from[(i - numbers[8]) * numbers[9] + (j - numbers[11]) * numbers[12]] +
          1;
}
