// Plans made by hand for tests, and ways to damage them.
#ifndef SMEX_TEST_RUNTIME_PLAN_EXAMPLES_H
#define SMEX_TEST_RUNTIME_PLAN_EXAMPLES_H

#include "runtime/plan/Check.h"
#include "runtime/plan/Json.h"
#include "runtime/plan/Save.h"

namespace smex::plan {

/// z = relu(x . w + b) . v on two workers. The first product is cut along its
/// sum and reduced; relu works in place; its result is fetched whole; z is cut
/// by columns, in the memory of x; the fetched rows are in that of the partial
/// sums. w and v are stored, b is drawn.
Plan twoWorkers();

/// The same, but said by divisions: nothing is listed.
Plan twoDivided();

/// twoWorkers(), with code for sm_80 as well, of which only its beginning is
/// there: kernel_0, launched so. `more`: so many operands that relu has, and
/// does not read; with 100, its arguments are too many for parameters.
Plan onGpus(const Launch &launch, int more = 0);

/// What PTX says of a kernel before its body.
std::string ptxHead(const std::string &symbol, int64_t parameters,
                    int64_t threads);

/// out = 2 x - (x + 1) on two workers, half of the row each, while x + 1 is on
/// the host: 2 x takes its place meanwhile. x's bytes of the device are 0 ..
/// 128 on each, those of the sum and of 2 x 128 .. 256, of the sum again 256 ..
/// 384.
Plan offloaded();
/// The same, and a parameter "w" on the host, to which x is added in each step.
/// Its next value takes its place, or has one of its own.
Plan offloadedParameter(bool inPlace);

/// y[v] is the sum of x over v's neighbours, on two workers; x is f32[6, 4].
/// Worker 0 has vertices 0 to 2, which need rows 0, 3 and 5 of x; worker 1 the
/// others, which need 1, 2, 4 and 5. Parameters are the edges' sources, by
/// destination, and where each vertex's edges begin.
Plan neighbours();
/// The values of these parameters.
const std::vector<std::vector<int32_t>> &neighbourLists();

/// `workers` GPUs and `layers` times: a fetch of a row of neighbours' shares, a
/// map in place, a map to new memory. For measuring.
Plan manyInstructions(int workers, int layers);

/// Element e of parameter p is p * 1000 + e, as f32.
WeightSource countingWeights(const Plan &plan);

/// A folder of its own, removed at the end of the scope.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  std::string operator/(const std::string &name) const {
    return path + "/" + name;
  }
  const std::string path;
};

/// Whether a saved plan is as the schemas say; what is not goes to stderr. For
/// tests with the data of SchemaTest; needs the package python3-jsonschema.
bool isAsSchemasSay(const std::string &directory);

/// The plan saved, as the schemas say, and loaded again; throws what is wrong.
Plan readBack(const Plan &plan);

/// One line per finding: "kind: message".
std::string listed(const std::vector<Finding> &findings);

std::string slurp(const std::string &path);
void spit(const std::string &path, const std::string &bytes);

/// Writes plan.json with the right hash of itself.
void seal(const std::string &directory, Json summary);

/// Puts right all hashes in plan.json after files were changed.
void rehash(const std::string &directory);

/// Changes the value at a JSON pointer ("/buffers/0/offset") of one file,
/// writes it canonically, and puts the hashes right.
void edit(const std::string &directory, const std::string &file,
          const std::string &pointer, const Json &value);

} // namespace smex::plan

#endif
