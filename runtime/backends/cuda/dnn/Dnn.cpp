#include "runtime/backends/cuda/dnn/Dnn.h"

#include "runtime/library/CutOff.h"

#include <dlfcn.h>

#include <map>

using namespace smex;
using namespace smex::cuda;
using namespace smex::cuda::dnn;

namespace {

/// cuDNN 9 is a front that loads these when one of their functions is called,
/// and ends the process if it cannot.
constexpr const char *parts[] = {"libcudnn_graph.so.9", "libcudnn_ops.so.9",
                                 "libcudnn_cnn.so.9"};
constexpr size_t major = 9;

/// 91900: "9.19.0". Until cuDNN 8 it was 8907 for "8.9.7".
size_t unitOf(size_t version) { return version >= 90000 ? 10000 : 1000; }

std::string versionText(size_t version) {
  return runtime::dottedVersion(version, unitOf(version));
}

/// Another version that is there, for the message; "": none.
std::string otherVersion() {
  for (const char *file : {"libcudnn.so.10", "libcudnn.so.8", "libcudnn.so.7"})
    if (auto opened = runtime::SharedLibrary::open(file))
      return opened->path();
  return "";
}

/// Beside the library itself, where it looks for them first, or where any
/// library is found.
Status findPart(const std::string &folder, const std::string &file,
                const std::string &part) {
  for (const std::string &each : {folder + part, part}) {
    if (const std::string cut =
            runtime::whatIsCutOff(runtime::libraryFile(each));
        !cut.empty())
      return runtime::libraryError("cuDNN is not whole: " + cut);
    // They stay loaded: cuDNN finds them by their names.
    if (dlopen(each.c_str(), RTLD_LAZY | RTLD_LOCAL))
      return {};
  }
  return runtime::libraryError("cuDNN is not whole: " + part +
                               " is neither beside " + folder + file +
                               " nor where libraries are found");
}

std::string folderOf(const void *symbol) {
  Dl_info info;
  if (!dladdr(symbol, &info) || !info.dli_fname)
    return "";
  const std::string path = info.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

} // namespace

Result<const Dnn *> Dnn::get() {
  return runtime::loadOnce<Dnn>([](Dnn &made) { return made.load(); });
}

Status Dnn::load() {
  auto opened = runtime::SharedLibrary::open("libcudnn.so.9");
  if (!opened) {
    const std::string other = otherVersion();
    return runtime::libraryError(
        "no cuDNN 9, which convolutions on GPUs need: " +
        (other.empty() ? opened.error().message : "there is only " + other) +
        "; install it, or set LD_LIBRARY_PATH to its folder");
  }
  library = std::move(*opened);
  SMEX_CUDNN_ENTRIES(SMEX_FIND_ENTRY)
  // Of what version it is, also a library says that lacks other things.
  const size_t version = getVersion ? getVersion() : 0;
  if (version && version / unitOf(version) != major)
    return runtime::libraryError("cuDNN is of version " + versionText(version) +
                                 ", and 9 is needed; install that");
  if (const std::string lacks = library.lacks(); !lacks.empty())
    return runtime::libraryError("cuDNN " + versionText(version) +
                                 " lacks a function: " + lacks);
  const std::string folder =
      folderOf(reinterpret_cast<const void *>(getVersion));
  for (const char *part : parts)
    if (Status found = findPart(folder, library.file(), part); !found)
      return found;
  const std::pair<Code (*)(), const char *> checks[] = {
      {graphVersionCheck, parts[0]},
      {opsVersionCheck, parts[1]},
      {cnnVersionCheck, parts[2]}};
  for (const auto &[checkVersion, part] : checks)
    if (Status same = check(checkVersion(),
                            std::string("the version of cuDNN's ") + part);
        !same)
      return same;
  return {};
}

std::string Dnn::name() const { return "cuDNN " + versionText(getVersion()); }

Status Dnn::check(Code code, const std::string &what) const {
  if (code == success)
    return {};
  const char *name = getErrorString(code);
  char text[512] = "";
  getLastErrorString(text, sizeof text);
  text[sizeof text - 1] = 0;
  return runtime::libraryError(what + ": " + (name ? name : "cuDNN error") +
                               " (" + std::to_string(code) + ")" +
                               (*text ? ": " : "") + text);
}

Result<std::shared_ptr<WorkerHandle>>
WorkerHandle::of(const Dnn &dnn, const Gpu &gpu, Address workspace) {
  static std::mutex mutex;
  static std::map<std::pair<const Gpu *, Address>, std::weak_ptr<WorkerHandle>>
      known;
  const std::lock_guard<std::mutex> lock(mutex);
  auto &entry = known[{&gpu, workspace}];
  if (auto handle = entry.lock())
    return handle;
  Handle handle = nullptr;
  if (Status made = dnn.check(dnn.create(&handle), "cudnnCreate"); !made)
    return made.takeError();
  std::shared_ptr<WorkerHandle> shared(new WorkerHandle(dnn, gpu, handle));
  entry = shared;
  return shared;
}

WorkerHandle::~WorkerHandle() {
  if (gpu.enter())
    dnn.destroy(handle);
}
