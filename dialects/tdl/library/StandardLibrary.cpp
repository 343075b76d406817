#include "dialects/tdl/library/Library.h"

#include "dialects/tdl/library/StandardLibraryFiles.h"

#include <cstdio>
#include <cstdlib>

using namespace smex;
using namespace smex::tdl;

const Library &tdl::standardLibrary() {
  static const Library library = [] {
    Library loaded;
    for (const auto &[file, text] : standardLibraryFiles())
      if (Status added = loaded.add(file, text); !added) {
        // Compiled in, so a defect that the first test to run reports.
        std::fprintf(stderr, "smex: defect: %s\n",
                     added.error().message.c_str());
        std::abort();
      }
    return loaded;
  }();
  return library;
}
