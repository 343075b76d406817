// Opens libcuda.so.1 by its name, as a runtime does, calls cuInit and prints
// the device's name, or what is missing.
#include <cstdio>
#include <dlfcn.h>

template <class Function>
static Function find(void *library, const char *name) {
  void *symbol = dlsym(library, name);
  if (!symbol)
    std::printf("missing %s\n", name);
  return reinterpret_cast<Function>(symbol);
}

int main() {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::printf("%s\n", dlerror());
    return 1;
  }
  auto init = find<int (*)(unsigned)>(library, "cuInit");
  auto getName = find<int (*)(char *, int, int)>(library, "cuDeviceGetName");
  char name[100] = "";
  if (!init || !getName)
    return 1;
  int result = init(0);
  if (!result)
    result = getName(name, sizeof(name), 0);
  std::printf("%d %s\n", result, name);
}
