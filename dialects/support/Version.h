// What every program's --version prints.
#ifndef SMEX_DIALECTS_SUPPORT_VERSION_H
#define SMEX_DIALECTS_SUPPORT_VERSION_H

namespace smex {
constexpr const char *versionText = "smex 0.1.0";
} // namespace smex

#endif
