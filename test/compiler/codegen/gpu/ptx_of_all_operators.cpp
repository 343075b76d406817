// Every distinct lambda of ONNX's node cases as PTX, which ptxas assembles
// where there is one.
//
// usage: ptx_of_all_operators FOLDER_OF_CASES
#include "compiler/codegen/gpu/Codegen.h"
#include "runtime/plan/Target.h"
#include "test/compiler/codegen/gpu/Ptxas.h"
#include "test/compiler/frontend/evaluate.h"

#include <cstdio>
#include <set>

using namespace smex;

int main(int argc, char **argv) {
  if (argc != 2) {
    std::printf("usage: ptx_of_all_operators FOLDER_OF_CASES\n");
    return 2;
  }
  std::set<std::string> seen;
  std::vector<codegen::KernelRequest> requests;
  test::visitCases(argv[1], [&](const auto &application, const auto &) {
    const tdl::Lambda &lambda = application.lambda;
    if (plan::hasCode(plan::TargetKind::Cuda, lambda) &&
        seen.insert(toString(lambda)).second)
      requests.push_back({"k" + std::to_string(requests.size()), lambda});
  });
  const std::string ptxas = test::findPtxas();
  int failed = 0;
  std::string body; // of the texts, behind their headers
  for (const char *arch : {"sm_80", "sm_90"}) {
    codegen::GpuOptions options;
    options.arch = arch;
    const Result<codegen::GpuCode> code =
        codegen::compilePtx(requests, options);
    // Kernel by kernel, to name the lambda.
    if (!code)
      for (const codegen::KernelRequest &request : requests)
        if (!codegen::compilePtx({request}, options))
          std::printf("FAIL %s\n", toString(request.lambda).c_str());
    // The text of the second architecture has another header only.
    const Status good = !code ? Status(code.error())
                        : ptxas.empty() || !body.empty()
                            ? Status()
                            : test::assemble(ptxas, code->ptx);
    std::printf("%s: %s\n", arch,
                good ? (std::to_string(code->ptx.size()) + " bytes").c_str()
                     : good.error().message.c_str());
    failed += !good;
    if (!code)
      continue;
    const std::string own = code->ptx.substr(code->ptx.find(".address_size"));
    if (!body.empty() && own != body) {
      std::printf("FAIL: the text for %s is not that for sm_80\n", arch);
      ++failed;
    }
    body = own;
  }
  std::printf("%zu distinct lambdas%s\n", requests.size(),
              ptxas.empty() ? ", no ptxas to assemble them" : "");
  return requests.size() < 400 || failed ? 1 : 0;
}
