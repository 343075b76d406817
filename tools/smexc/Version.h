#ifndef SMEX_TOOLS_SMEXC_VERSION_H
#define SMEX_TOOLS_SMEXC_VERSION_H

namespace smex::tools {
constexpr const char *versionText = "smex 0.1.0";
} // namespace smex::tools

#endif
