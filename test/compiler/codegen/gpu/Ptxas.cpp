#include "test/compiler/codegen/gpu/Ptxas.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace smex;

std::string test::findPtxas() {
  if (auto found = llvm::sys::findProgramByName("ptxas"))
    return *found;
  if (auto found =
          llvm::sys::findProgramByName("ptxas", {"/usr/local/cuda/bin"}))
    return *found;
  return "";
}

Status test::assembleFor(const std::string &arch, const std::string &ptxas,
                         const std::string &ptx) {
  llvm::SmallString<128> source, said;
  int file = -1;
  if (llvm::sys::fs::createTemporaryFile("kernels", "ptx", file, source) ||
      llvm::sys::fs::createTemporaryFile("ptxas", "txt", said))
    return fail("no temporary files");
  {
    llvm::raw_fd_ostream stream(file, /*shouldClose=*/true);
    stream << ptx;
  }
  const std::string option = "-arch=" + arch;
  const std::optional<llvm::StringRef> redirects[] = {"", said.str(),
                                                      said.str()};
  const int status = llvm::sys::ExecuteAndWait(
      ptxas, {ptxas, option, "-o", "/dev/null", source}, std::nullopt,
      redirects);
  std::string text;
  if (auto buffer = llvm::MemoryBuffer::getFile(said))
    text = (*buffer)->getBuffer().take_front(2000).str();
  llvm::sys::fs::remove(said);
  if (status == 0) {
    llvm::sys::fs::remove(source);
    return {};
  }
  return fail("ptxas refuses ", source.str().str(), ": ", text);
}

std::vector<std::string> test::architectures(const std::string &ptxas) {
  std::vector<std::string> known; // an older one knows fewer
  for (const char *arch :
       {"sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"})
    if (assembleFor(arch, ptxas,
                    ".version 7.8\n.target sm_80\n.address_size 64\n"))
      known.push_back(arch);
  return known;
}

Status test::assemble(const std::string &ptxas, const std::string &ptx) {
  static const std::vector<std::string> known = architectures(ptxas);
  bool isOwn = false;
  for (const std::string &arch : known) {
    isOwn |= ptx.find(".target " + arch + "\n") != std::string::npos;
    if (isOwn)
      if (Status assembled = assembleFor(arch, ptxas, ptx); !assembled)
        return assembled;
  }
  return isOwn ? Status() : fail("the text is for no architecture known here");
}
