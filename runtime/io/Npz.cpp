#include "runtime/io/Npz.h"

#include "dialects/support/Text.h"
#include "runtime/io/Npy.h"

#include <minizip/unzip.h>

#include <algorithm>
#include <cstring>
#include <memory>

using namespace smex;
using namespace smex::io;

namespace {

/// A string as minizip's file.
struct Stream {
  std::string_view bytes;
  uint64_t at = 0;
};

zlib_filefunc64_def functionsOf(Stream &stream) {
  zlib_filefunc64_def functions = {};
  functions.opaque = &stream;
  functions.zopen64_file = [](voidpf opaque, const void *, int) -> voidpf {
    return opaque;
  };
  functions.zread_file = [](voidpf, voidpf file, void *to, uLong size) {
    auto &stream = *static_cast<Stream *>(file);
    const uint64_t left = stream.bytes.size() -
                          std::min<uint64_t>(stream.at, stream.bytes.size());
    const uLong count = uLong(std::min<uint64_t>(size, left));
    if (count > 0)
      std::memcpy(to, stream.bytes.data() + stream.at, count);
    stream.at += count;
    return count;
  };
  functions.ztell64_file = [](voidpf, voidpf file) {
    return ZPOS64_T(static_cast<Stream *>(file)->at);
  };
  functions.zseek64_file = [](voidpf, voidpf file, ZPOS64_T offset,
                              int origin) -> long {
    auto &stream = *static_cast<Stream *>(file);
    const uint64_t base = origin == ZLIB_FILEFUNC_SEEK_SET ? 0
                          : origin == ZLIB_FILEFUNC_SEEK_CUR
                              ? stream.at
                              : stream.bytes.size();
    if (offset > stream.bytes.size() || base + offset > stream.bytes.size())
      return -1;
    stream.at = base + offset;
    return 0;
  };
  functions.zclose_file = [](voidpf, voidpf) { return 0; };
  functions.zerror_file = [](voidpf, voidpf) { return 0; };
  return functions;
}

struct Close {
  void operator()(void *archive) const { unzClose(archive); }
};
using Archive = std::unique_ptr<void, Close>;

Archive openArchive(Stream &stream) {
  zlib_filefunc64_def functions = functionsOf(stream);
  return Archive(unzOpen2_64("", &functions));
}

/// Deflate makes no byte more than this many.
constexpr uint64_t mostExpansion = 1032;

} // namespace

Result<Npz> Npz::open(std::string_view bytes, const std::string &name) {
  Npz made;
  made.bytes = bytes;
  made.name = name;
  Stream stream{bytes};
  const Archive archive = openArchive(stream);
  if (!archive)
    return fail(name, ": is no .npz file (no zip archive)");
  int status = unzGoToFirstFile(archive.get());
  for (; status == UNZ_OK; status = unzGoToNextFile(archive.get())) {
    char entry[256];
    unz_file_info64 info;
    if (unzGetCurrentFileInfo64(archive.get(), &info, entry, sizeof entry,
                                nullptr, 0, nullptr, 0) != UNZ_OK)
      return fail(name, ": the archive's directory is damaged");
    if (info.size_filename >= sizeof entry)
      return fail(name, ": a name in the archive is longer than 255 bytes");
    std::string array(entry, info.size_filename);
    if (array.size() > 4 && array.compare(array.size() - 4, 4, ".npy") == 0)
      array.resize(array.size() - 4);
    unz64_file_pos place;
    unzGetFilePos64(archive.get(), &place);
    made.places[array] = place.pos_in_zip_directory;
  }
  if (status != UNZ_END_OF_LIST_OF_FILE)
    return fail(name, ": the archive's directory is damaged");
  return made;
}

std::string Npz::names() const {
  std::string list;
  size_t left = places.size();
  for (const auto &[array, place] : places) {
    --left;
    list += (list.empty() ? "" : left ? ", " : " and ") + array;
  }
  return list.empty() ? "nothing" : cleanedLine(list);
}

Result<std::string> Npz::readBytes(const std::string &array) const {
  const auto found = places.find(array);
  if (found == places.end())
    return fail(name, ": has no array \"", array, "\"; it has ", names());
  Stream stream{bytes};
  const Archive archive = openArchive(stream);
  unz64_file_pos place = {found->second, 0};
  unz_file_info64 info;
  if (!archive || unzGoToFilePos64(archive.get(), &place) != UNZ_OK ||
      unzGetCurrentFileInfo64(archive.get(), &info, nullptr, 0, nullptr, 0,
                              nullptr, 0) != UNZ_OK ||
      unzOpenCurrentFile(archive.get()) != UNZ_OK)
    return fail(name, ": array \"", array, "\": cannot be read");
  if (info.uncompressed_size > bytes.size() * mostExpansion)
    return fail(name, ": array \"", array, "\": claims to have ",
                info.uncompressed_size, " bytes, more than there can be");
  std::string content(info.uncompressed_size, '\0');
  size_t read = 0;
  while (read < content.size()) {
    const unsigned chunk =
        unsigned(std::min<size_t>(content.size() - read, 1 << 30));
    const int count =
        unzReadCurrentFile(archive.get(), content.data() + read, chunk);
    if (count <= 0)
      return fail(name, ": array \"", array, "\": is damaged");
    read += size_t(count);
  }
  if (unzCloseCurrentFile(archive.get()) != UNZ_OK)
    return fail(name, ": array \"", array, "\": is damaged (checksum)");
  return content;
}

Result<Tensor> Npz::read(const std::string &array) const {
  const auto content = readBytes(array);
  if (!content)
    return content.error();
  return parseNpy(*content, name + ": array \"" + array + "\"");
}
