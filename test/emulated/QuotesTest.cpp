// What refusals cite: that each citation is one, and that the words of NVIDIA's
// headers are in these, where they are found.
#include "test/emulated/Reports.h"
#include "test/emulated/cublaslt/Citations.h"
#include "test/emulated/cuda/Citations.h"
#include "test/emulated/cudnn/Citations.h"
#include "test/emulated/nccl/Citations.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>

using namespace smex::emulated;

namespace {

struct Named {
  std::string name;
  Citation citation;
};

std::vector<Named> allCitations() {
  std::vector<Named> all;
#define SMEX_CUDA_NAMED(name, citation)                                        \
  all.push_back({"cuda " #name, cuda::cites::name});
#define SMEX_CUBLASLT_NAMED(name, citation)                                    \
  all.push_back({"cublaslt " #name, cublaslt::cites::name});
#define SMEX_CUDNN_NAMED(name, citation)                                       \
  all.push_back({"cudnn " #name, cudnn::cites::name});
#define SMEX_NCCL_NAMED(name, citation)                                        \
  all.push_back({"nccl " #name, nccl::cites::name});
  SMEX_CUDA_CITATIONS(SMEX_CUDA_NAMED)
  SMEX_CUBLASLT_CITATIONS(SMEX_CUBLASLT_NAMED)
  SMEX_CUDNN_CITATIONS(SMEX_CUDNN_NAMED)
  SMEX_NCCL_CITATIONS(SMEX_NCCL_NAMED)
  return all;
}

bool isOfDocument(const Citation &citation) {
  return citation.kind == Citation::Kind::Quotes ||
         citation.kind == Citation::Kind::Tells;
}

/// Text in one line, without what makes it a comment or marks words up.
std::string plain(const std::string &text) {
  std::string unmarked;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line); unmarked += '\n') {
    const size_t begin = line.find_first_not_of(" \t*/");
    if (begin != std::string::npos)
      unmarked += line.substr(begin);
  }
  for (const char *mark : {"::", "\\p ", "\\b ", "\\e ", "\\ref "})
    for (size_t at; (at = unmarked.find(mark)) != std::string::npos;)
      unmarked.erase(at, std::string(mark).size());
  std::istringstream words(unmarked);
  std::string result;
  for (std::string word; words >> word;)
    result += word + ' ';
  return result;
}

std::optional<std::string> read(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return plain(text.str());
}

/// The header, of the release whose words are cited: one that says `version`,
/// or whose neighbour does.
std::optional<std::string> header(const std::string &name,
                                  const std::string &neighbour,
                                  const std::string &version) {
  const char *home = std::getenv("CUDA_HOME");
  for (const std::string &folder :
       {std::string(home ? home : "/usr/local/cuda") + "/include",
        std::string("/usr/local/cuda/include"),
        std::string("/usr/local/cuda-13.0/include"),
        std::string("/usr/local/include"), std::string("/usr/include")}) {
    const auto versions = read(folder + "/" + neighbour);
    if (versions && versions->find(version) != std::string::npos)
      return read(folder + "/" + name);
  }
  return std::nullopt;
}

std::optional<std::string> textOfHeader(Document document) {
  switch (document) {
  case Document::CudaHeader:
    return header("cuda.h", "cuda.h", "#define CUDA_VERSION 13000 ");
  case Document::CublasLtHeader:
    return header("cublasLt.h", "cublas_api.h",
                  "#define CUBLAS_VER_MAJOR 13 #define CUBLAS_VER_MINOR 1 ");
  case Document::NcclHeader:
    return header("nccl.h", "nccl.h", "#define NCCL_VERSION_CODE 22809 ");
  default:
    return std::nullopt;
  }
}

} // namespace

TEST_CASE("a refusal's text says where NVIDIA has it") {
  for (const auto &[name, citation] : allCitations()) {
    INFO(name);
    const std::string text = cited("why", citation);
    CHECK(isCited(text));
    CHECK(text.rfind("why (", 0) == 0);
    CHECK_FALSE(std::string(citation.words).empty());
    if (isOfDocument(citation))
      CHECK_FALSE(std::string(citation.place).empty());
  }
}

TEST_CASE("a text without a citation is seen to have none") {
  CHECK_FALSE(isCited("the stream is captured"));
  CHECK_FALSE(isCited("the stream is captured (cuda.h)"));
  CHECK_FALSE(isCited("seen of nobody, stricter than others, not emulated"));
}

TEST_CASE("what is quoted of headers is in them") {
  for (Document document :
       {Document::CudaHeader, Document::CublasLtHeader, Document::NcclHeader}) {
    const auto text = textOfHeader(document);
    if (!text) {
      WARN("no " << nameOf(document)
                 << " of the release that is cited: nothing was compared");
      continue;
    }
    for (const auto &[name, citation] : allCitations()) {
      if (!isOfDocument(citation) || citation.document != document)
        continue;
      INFO(name << ": " << citation.place << ": " << citation.words);
      CHECK(text->find(citation.place) != std::string::npos);
      if (citation.kind == Citation::Kind::Quotes)
        CHECK(text->find(citation.words) != std::string::npos);
    }
  }
}
