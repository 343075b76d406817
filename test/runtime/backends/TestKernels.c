/* A kernels.so for tests. */
#include <stdint.h>

/* (x0: f32[2]) -> f32: lambda i0, i1: x0[i0, i1] + 1 */
void add_one(char *const *pointers, const int64_t *numbers) {
  float *to = (float *)pointers[0];
  const float *from = (const float *)pointers[1];
  for (int64_t i = numbers[0]; i < numbers[1]; ++i)
    for (int64_t j = numbers[2]; j < numbers[3]; ++j)
      to[(i - numbers[4]) * numbers[5] + (j - numbers[6]) * numbers[7]] =
          from[(i - numbers[8]) * numbers[9] + (j - numbers[11]) * numbers[12]] +
          1;
}

/* (x: f32[2], s: i64[1]) -> f32: lambda f: Sum(lambda k: x[s[k], f]) */
void sum_rows(char *const *pointers, const int64_t *numbers) {
  float *to = (float *)pointers[0];
  const float *x = (const float *)pointers[1];
  const int64_t *s = (const int64_t *)pointers[2];
  for (int64_t f = numbers[0]; f < numbers[1]; ++f) {
    float sum = 0;
    for (int64_t k = numbers[2]; k < numbers[3]; ++k)
      sum += x[(s[k - numbers[12]] - numbers[6]) * numbers[7] +
               (f - numbers[9]) * numbers[10]];
    to[(f - numbers[4]) * numbers[5]] = sum;
  }
}
