#include "test/conformance/Assembled.h"

#include "compiler/codegen/gpu/Codegen.h"
#include "runtime/plan/Target.h"
#include "test/compiler/codegen/gpu/Ptxas.h"
#include "test/conformance/Applications.h"

#include <cstdio>

using namespace smex;
using namespace smex::conformance;

namespace {

using Requests = std::vector<codegen::KernelRequest>;

/// So many lambdas to a text: what is wrong with one is found among few.
constexpr size_t most = 32;

std::vector<Requests> requests() {
  std::vector<Requests> all;
  for (const auto &[text, application] : collected().all) {
    if (!plan::hasCode(plan::TargetKind::Cuda, application.lambda))
      continue;
    if (all.empty() || all.back().size() == most)
      all.emplace_back();
    all.back().push_back(
        {"k" + std::to_string(all.back().size()), application.lambda});
  }
  return all;
}

Result<std::string> textFor(const std::string &arch, const Requests &list) {
  codegen::GpuOptions options;
  options.arch = arch;
  auto code = codegen::compilePtx(list, options);
  if (!code)
    return code.takeError();
  return std::move(code->ptx);
}

/// Without the header, which names the architecture.
std::string bodyOf(const std::string &ptx) {
  return ptx.substr(ptx.find(".address_size"));
}

class Assembling {
public:
  explicit Assembling(bool isAll) : isAll(isAll) {
    if (!ptxas.empty())
      known = test::architectures(ptxas);
  }

  Status examine(const Requests &list, size_t number) const {
    const auto ampere = textFor("sm_80", list);
    if (!ampere)
      return ampere.error();
    for (size_t a = 0; a < known.size(); ++a)
      if (isAll || number % known.size() == a)
        if (Status taken = test::assembleFor(known[a], ptxas, *ampere); !taken)
          return taken;
    if (!isAll && number % 4 != 0)
      return {};
    const auto hopper = textFor("sm_90", list);
    if (!hopper)
      return hopper.error();
    return bodyOf(*ampere) == bodyOf(*hopper)
               ? Status()
               : fail("the text for sm_90 is not that for sm_80");
  }

  std::string how() const {
    if (ptxas.empty())
      return "no ptxas to assemble them";
    std::string text = isAll ? "each assembled for" : "each for one of";
    for (const std::string &arch : known)
      text += " " + arch;
    return text;
  }

private:
  const bool isAll;
  const std::string ptxas = test::findPtxas();
  std::vector<std::string> known; // architectures, by this ptxas
};

} // namespace

bool conformance::assembleAll(bool isAll) {
  const Assembling assembling(isAll);
  size_t failed = 0, lambdas = 0, number = 0;
  for (const Requests &list : requests()) {
    lambdas += list.size();
    if (assembling.examine(list, number++))
      continue;
    // One by one, to name the lambda.
    for (const codegen::KernelRequest &each : list)
      if (Status good = assembling.examine({each}, number - 1); !good) {
        ++failed;
        std::printf("FAIL %s: %s\n", toString(each.lambda).c_str(),
                    good.error().message.c_str());
      }
  }
  std::printf("%zu distinct lambdas as PTX: %zu passed, %zu failed; %s\n",
              lambdas, lambdas - failed, failed, assembling.how().c_str());
  return failed == 0 && lambdas >= 2000;
}
