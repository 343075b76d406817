// What a refusal of an emulated library says of NVIDIA: where NVIDIA says that
// such a call is refused, or that it does not. Each library lists its own in
// Citations.h, and none can refuse without one.
#ifndef SMEX_TEST_EMULATED_CITATION_H
#define SMEX_TEST_EMULATED_CITATION_H

#include <string>

namespace smex::emulated {

// What NVIDIA publishes: X(enumerator, how refusals name it)
#define SMEX_EMULATED_DOCUMENTS(X)                                             \
  X(CudaHeader, "cuda.h")                                                      \
  X(CublasLtHeader, "cublasLt.h")                                              \
  X(NcclHeader, "nccl.h")                                                      \
  X(CudaGuide, "CUDA C++ Programming Guide")                                   \
  X(PtxIsa, "PTX ISA")                                                         \
  X(CublasGuide, "cuBLAS documentation")                                       \
  X(CudnnApi, "cuDNN API")                                                     \
  X(NcclGuide, "NCCL user guide")

enum class Document {
#define SMEX_EMULATED_ENUMERATOR(name, text) name,
  SMEX_EMULATED_DOCUMENTS(SMEX_EMULATED_ENUMERATOR)
#undef SMEX_EMULATED_ENUMERATOR
};

constexpr const char *nameOf(Document document) {
  switch (document) {
#define SMEX_EMULATED_CASE(name, text)                                         \
  case Document::name:                                                         \
    return text;
    SMEX_EMULATED_DOCUMENTS(SMEX_EMULATED_CASE)
#undef SMEX_EMULATED_CASE
  }
  return "";
}

struct Citation {
  enum class Kind { Quotes, Tells, Seen, Unsaid, Stricter, NotEmulated };
  Kind kind;
  Document document; // where there is one
  const char *place; // a function, a value or a section; or the library seen
  const char *words;
};

/// The document's own words.
constexpr Citation quotes(Document document, const char *place,
                          const char *words) {
  return {Citation::Kind::Quotes, document, place, words};
}
/// What the document says, in other words.
constexpr Citation tells(Document document, const char *place,
                         const char *words) {
  return {Citation::Kind::Tells, document, place, words};
}
/// What a release of NVIDIA's library was seen to do, where no document has it
/// or has something else.
constexpr Citation seen(const char *library, const char *words) {
  return {Citation::Kind::Seen, {}, library, words};
}
/// What the emulator's author takes NVIDIA's library to do.
constexpr Citation unsaid(const char *words) {
  return {Citation::Kind::Unsaid, {}, "", words};
}
/// What NVIDIA's library takes, or does not look at.
constexpr Citation stricter(const char *words) {
  return {Citation::Kind::Stricter, {}, "", words};
}
/// What NVIDIA's library can and the emulated one cannot.
constexpr Citation notEmulated(const char *words) {
  return {Citation::Kind::NotEmulated, {}, "", words};
}

// How texts of citations without a document begin.
constexpr const char *seenOf = "seen of ", *unsaidBegin = "no document says so",
                     *stricterBegin = "stricter than NVIDIA's",
                     *notEmulatedBegin = "not emulated";

inline std::string textOf(const Citation &citation) {
  const std::string words = citation.words, place = citation.place;
  switch (citation.kind) {
  case Citation::Kind::Quotes:
    return nameOf(citation.document) + (", " + place) + ": \"" + words + "\"";
  case Citation::Kind::Tells:
    return nameOf(citation.document) + (", " + place) + ": " + words;
  case Citation::Kind::Seen:
    return seenOf + place + ": " + words;
  case Citation::Kind::Unsaid:
    return unsaidBegin + (": " + words);
  case Citation::Kind::Stricter:
    return stricterBegin + (": " + words);
  case Citation::Kind::NotEmulated:
    break;
  }
  return notEmulatedBegin + (": " + words);
}

/// What a refusal says.
inline std::string cited(const std::string &why, const Citation &citation) {
  return why + " (" + textOf(citation) + ")";
}

} // namespace smex::emulated

#endif
