// Files of libraries that are not whole, as of a disk that was full when they
// were installed. The system's loader maps what is not there, and the process
// ends by a signal when it reads it.
#ifndef SMEX_RUNTIME_LIBRARY_CUTOFF_H
#define SMEX_RUNTIME_LIBRARY_CUTOFF_H

#include <string>

namespace smex::runtime {

/// The file that dlopen() takes for a library: a path is itself; a name is
/// looked for in LD_LIBRARY_PATH, and then in what ldconfig has found. "":
/// neither has it.
std::string libraryFile(const std::string &name);

/// Of a library's file, what is missing, in words; "": it is whole, or no
/// library, of which the loader says more.
std::string whatIsCutOff(const std::string &file);

} // namespace smex::runtime

#endif
