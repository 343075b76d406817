// What validate() (Load.h) is made of: one function per file of a plan.
#ifndef SMEX_RUNTIME_PLAN_VALIDATE_H
#define SMEX_RUNTIME_PLAN_VALIDATE_H

#include "dialects/tdl/lambda/Lambda.h"
#include "runtime/plan/Plan.h"

#include <optional>

namespace smex::plan {

/// The first thing wrong with one file.
class Complaint {
public:
  /// `file` as messages name it, with its folder.
  explicit Complaint(std::string file) : file(std::move(file)) {}

  explicit operator bool() const { return error.has_value(); }
  template <typename... Parts> void add(Parts &&...parts) {
    if (!error)
      error = fail(file, ": ", std::forward<Parts>(parts)...);
  }
  Error take() { return std::move(*error); }

private:
  std::string file;
  std::optional<Error> error;
};

/// The kernel's lambda, unless that is wrong; `index`: its number.
std::optional<tdl::Lambda> validateKernel(const Kernel &kernel, size_t index,
                                          Complaint &complaint);

/// Also fills `lambdas`, one per kernel. Boxes are not looked at.
void validateProgram(const Program &program, size_t workers,
                     std::vector<tdl::Lambda> &lambdas, Complaint &complaint);

/// The instruction of this number, but for its regions. Tensors, kernels and
/// buffers are valid.
void validateInstruction(const Program &program,
                         const std::vector<tdl::Lambda> &lambdas, size_t index,
                         Complaint &complaint);

/// How the program is divided: its ways, regions, and what refers to these.
/// Tensors and kernels are valid, and the numbers of buffers and instructions.
void validateDivisions(const Program &program, size_t workers,
                       Complaint &complaint);

/// A box per worker for each region, and inside of the tensor where it is a
/// buffer's; the program is valid.
void validateBoxes(const Program &program, size_t workers,
                   Complaint &complaint);

/// What some workers keep where others fill a buffer: numbers, spaces, and who
/// may do so. The rest of the program is valid.
void validateKept(const Program &program, size_t workers, Complaint &complaint);

/// What the program says of its graphs; the rest of it is valid, outputs apart.
void validateGraphs(const Program &program, Complaint &complaint);

/// What it says of rows per edge, of its graphs and of those that it was
/// compiled with; the rest of it is valid.
void validateEdgeRows(const Program &program, Complaint &complaint);

/// A number for each edge: a row of the file, or -1. `file` is what messages
/// call it.
Status validateEdgeOrder(const EdgeRows &rows,
                         const std::vector<int64_t> &order,
                         const std::string &file);

/// The program and its boxes are valid.
void validateWorker(const Partitioned &partitioned, int worker,
                    const std::vector<tdl::Lambda> &lambdas, bool hasWeights,
                    Complaint &complaint);

/// How a GPU's code is launched: as its lambdas and the code itself demand. The
/// programs are valid.
void validateLaunches(const Plan &plan, const Artifact &artifact,
                      Complaint &complaint);

/// Bytes that this worker's share of a buffer takes.
int64_t byteSize(const Partitioned &partitioned, int worker, int buffer);

/// Bytes of the worker's weight file: up to the end of the last weight.
int64_t weightBytes(const Partitioned &partitioned, int worker);

} // namespace smex::plan

#endif
