// Models as the whole compiler makes plans of them, on a row, against results
// that nothing of this project has computed.
#ifndef SMEX_TEST_CONFORMANCE_WHOLE_H
#define SMEX_TEST_CONFORMANCE_WHOLE_H

#include "test/conformance/Session.h"

namespace smex::conformance {

/// Folders of ONNX's cases of single operators: of the package
/// libonnx-testdata, where it is installed, and test/models/onnx_cases; or that
/// which SMEX_ONNX_CASES names, instead: make_onnx_cases.py writes one.
std::vector<std::string> caseFolders();
/// test/compiler/frontend/models/operators/edges_*.json.
std::vector<std::string> edgeFiles();

/// ONNX's cases for 1, 3 and 8 GPUs, against ONNX's stored outputs; those that
/// the CPU's tests list as failing (test/end_to_end) are left out.
void runCases(Session &session);
/// Operators at NaN, infinities, zeros, ties and the ends of integers, for 1
/// and 3 GPUs, against the values of their files.
void runEdges(Session &session);

} // namespace smex::conformance

#endif
