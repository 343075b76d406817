#include "runtime/io/Npz.h"

#include <minizip/zip.h>

#include <algorithm>
#include <cstring>

using namespace smex;

namespace {

/// A string that grows as minizip's file.
struct Stream {
  std::string bytes;
  uint64_t at = 0;
};

zlib_filefunc64_def functionsOf(Stream &stream) {
  zlib_filefunc64_def functions = {};
  functions.opaque = &stream;
  functions.zopen64_file = [](voidpf opaque, const void *, int) -> voidpf {
    return opaque;
  };
  functions.zread_file = [](voidpf, voidpf, void *, uLong) -> uLong {
    return 0; // only for archives that are added to
  };
  functions.zwrite_file = [](voidpf, voidpf file, const void *from,
                             uLong size) {
    auto &stream = *static_cast<Stream *>(file);
    stream.bytes.resize(
        std::max<uint64_t>(stream.bytes.size(), stream.at + size));
    if (size > 0)
      std::memcpy(stream.bytes.data() + stream.at, from, size);
    stream.at += size;
    return size;
  };
  functions.ztell64_file = [](voidpf, voidpf file) {
    return ZPOS64_T(static_cast<Stream *>(file)->at);
  };
  functions.zseek64_file = [](voidpf, voidpf file, ZPOS64_T offset,
                              int origin) -> long {
    auto &stream = *static_cast<Stream *>(file);
    stream.at =
        offset + (origin == ZLIB_FILEFUNC_SEEK_SET   ? 0
                  : origin == ZLIB_FILEFUNC_SEEK_CUR ? stream.at
                                                     : stream.bytes.size());
    return 0;
  };
  functions.zclose_file = [](voidpf, voidpf) { return 0; };
  functions.zerror_file = [](voidpf, voidpf) { return 0; };
  return functions;
}

} // namespace

std::string
io::formatNpz(const std::vector<std::pair<std::string, std::string>> &files) {
  Stream stream;
  size_t size = 0;
  for (const auto &[name, bytes] : files)
    size += bytes.size() + 1024;
  stream.bytes.reserve(size);
  zlib_filefunc64_def functions = functionsOf(stream);
  const zipFile archive =
      zipOpen2_64("", APPEND_STATUS_CREATE, nullptr, &functions);
  for (const auto &[name, bytes] : files) {
    zip_fileinfo info = {}; // without a time: the same arrays, the same bytes
    info.dosDate = uLong(33) << 16; // 1980-01-01, the first that there is
    const bool large = bytes.size() >= 0xffffffff;
    zipOpenNewFileInZip64(archive, (name + ".npy").c_str(), &info, nullptr, 0,
                          nullptr, 0, nullptr, /*method=*/0, 0, large);
    for (size_t at = 0; at < bytes.size(); at += size_t(1) << 30)
      zipWriteInFileInZip(
          archive, bytes.data() + at,
          unsigned(std::min(bytes.size() - at, size_t(1) << 30)));
    zipCloseFileInZip(archive);
  }
  zipClose(archive, nullptr);
  return std::move(stream.bytes);
}
