#include "dialects/tdl/analysis/ConvolutionGradient.h"
#include "dialects/tdl/analysis/InBounds.h"
#include "dialects/tdl/lambda/Accumulated.h"
#include "runtime/plan/ConvolutionRoles.h"
#include "runtime/plan/Regions.h"
#include "runtime/plan/Subject.h"
#include "runtime/plan/Tiling.h"

#include <optional>
#include <set>
#include <tuple>

using namespace smex;
using namespace smex::plan;

namespace {

class Meaning {
public:
  explicit Meaning(const Subject &subject)
      : subject(subject), program(subject.program), findings(subject.findings),
        names(subject.names), writers(program.buffers.size()) {}

  void run() {
    for (size_t i = 0; i < program.instructions.size(); ++i)
      if (program.instructions[i].op == Opcode::Compute)
        writers[size_t(program.instructions[i].to)].push_back(int(i));
    for (size_t k = 0; k < program.kernels.size(); ++k)
      contraction(program.kernels[k], subject.lambdas[k], k);
    for (size_t i = 0; i < program.instructions.size(); ++i) {
      const Instruction &instruction = program.instructions[i];
      if (instruction.op == Opcode::Compute)
        compute(int(i), instruction);
      else if (instruction.op == Opcode::Reduce)
        reduce(int(i), instruction);
      collective(int(i), instruction);
    }
  }

private:
  int workers() const { return int(subject.partitioned.workers.size()); }

  void contraction(const Kernel &kernel, const tdl::Lambda &lambda, size_t k) {
    if (kernel.kind != KernelKind::Contraction)
      return;
    const auto match = analysis::matchContraction(lambda);
    if (!match)
      findings.add(FindingKind::Kernel, "kernel ", k,
                   ": is to be a matrix product, which \"", kernel.lambda,
                   "\" is not");
    else if (match->roles != kernel.roles)
      findings.add(FindingKind::Kernel, "kernel ", k, ": has the roles \"",
                   kernel.roles, "\", but the lambda's are \"", match->roles,
                   "\"");
  }

  /// Libraries are called by these names.
  void collective(int i, const Instruction &instruction) {
    const auto actual = collectiveOf(subject.partitioned, i);
    const auto text = [&](const std::optional<Collective> &what) {
      return what ? toString(*what) : "none with a name";
    };
    if (actual != instruction.collective)
      findings.add(FindingKind::Region, names.instruction(i),
                   ": what it moves is said to be ",
                   text(instruction.collective), ", but by its divisions is ",
                   text(actual));
  }

  /// Whether it is a convolution, and which, depends on extents.
  void convolution(int i, const Instruction &instruction) {
    const Kernel &kernel = program.kernels[size_t(instruction.kernel)];
    if (!isConvolution(kernel.kind))
      return;
    std::vector<int64_t> extents = subject.tensorOf(instruction.to).type.shape;
    extents.insert(extents.end(), instruction.reductions.begin(),
                   instruction.reductions.end());
    const tdl::Lambda &lambda = subject.lambdas[size_t(instruction.kernel)];
    const ConvolutionInfo &info = kernel.convolution;
    std::optional<analysis::Convolution> match;
    if (isGradient(kernel.kind)) {
      analysis::Shapes shapes;
      for (int operand : instruction.operands)
        shapes.push_back(subject.tensorOf(operand).type.shape);
      const auto gradient =
          analysis::matchConvolutionGradient(lambda, extents, shapes);
      using Of = analysis::ConvolutionGradient::Of;
      if (gradient && gradient->gradient == info.gradient &&
          gradient->roles == kernel.roles &&
          (gradient->of == Of::Data) ==
              (kernel.kind == KernelKind::ConvolutionData))
        match = gradient->convolution;
    } else {
      match = analysis::matchConvolution(lambda, extents);
    }
    if (!match || match->strides != info.strides ||
        match->dilations != info.dilations || match->pads != info.pads ||
        match->groups != info.groups)
      findings.add(FindingKind::Kernel, names.instruction(i), ": kernel ",
                   instruction.kernel,
                   " has other strides, dilations, pads, groups or roles "
                   "than \"",
                   kernel.lambda, "\"");
  }

  void compute(int i, const Instruction &instruction) {
    const size_t variables =
        subject.lambdas[size_t(instruction.kernel)].reductions.size();
    if (instruction.reductions.size() != variables) {
      findings.add(FindingKind::Reduction, names.instruction(i),
                   ": program.json does not say how far its ", variables,
                   " reduction variables run (\"reductions\")");
    } else {
      convolution(i, instruction);
      inBounds(i, instruction);
      if (program.buffers[size_t(instruction.to)].partial)
        partialReduction(i, instruction);
      else
        wholeReduction(i);
    }
    for (int w = 0; w < workers(); ++w)
      if (subject.written(w, i))
        operands(w, i, instruction);
  }

  /// Of the whole index space, of which workers do parts. Regions are clamped
  /// to the operands, so that what leads out of these shows here alone.
  void inBounds(int i, const Instruction &instruction) {
    std::vector<int64_t> extents = subject.tensorOf(instruction.to).type.shape;
    extents.insert(extents.end(), instruction.reductions.begin(),
                   instruction.reductions.end());
    analysis::Shapes shapes;
    std::vector<std::string> called;
    for (int operand : instruction.operands) {
      shapes.push_back(subject.tensorOf(operand).type.shape);
      called.push_back(names.buffer(operand));
    }
    // Repeated layers need one proof.
    if (!proven.insert({instruction.kernel, extents, shapes}).second)
      return;
    if (const auto stray =
            analysis::strayRead(subject.lambdas[size_t(instruction.kernel)],
                                extents, shapes, called))
      findings.add(FindingKind::Region, names.prefix, names.instruction(i), " ",
                   *stray);
  }

  /// A result that is not partial is the sum of all terms.
  void wholeReduction(int i) {
    const Box range = subject.reductionRange(i);
    for (int w = 0; w < workers(); ++w)
      if (subject.written(w, i) && subject.reductionPart(w, i) != range)
        findings.add(FindingKind::Reduction, names.instruction(w, i),
                     " computes only the terms ",
                     toString(subject.reductionPart(w, i)), " of ",
                     toString(range),
                     ", and its result is not marked as partial");
  }

  /// Partial results are rounded once they are whole, and not before.
  void partialReduction(int i, const Instruction &instruction) {
    const tdl::Lambda &lambda = subject.lambdas[size_t(instruction.kernel)];
    const DType wanted = tdl::partialType(lambda.reducer, lambda.result);
    bool isPart = false;
    for (int w = 0; w < workers(); ++w)
      isPart |= subject.written(w, i) &&
                subject.reductionPart(w, i) != subject.reductionRange(i);
    if (isPart && wanted != lambda.result)
      findings.add(FindingKind::Reduction, names.instruction(i),
                   " rounds its partial results to ", name(lambda.result),
                   "; they are to be ", name(wanted));
  }

  void operands(int w, int i, const Instruction &instruction) {
    const std::vector<Box> regions = subject.regions(w, i);
    for (size_t k = 0; k < regions.size(); ++k) {
      const int buffer = instruction.operands[k];
      const Box &held = subject.box(w, buffer);
      if (!isEmpty(regions[k]) && !contains(held, regions[k]))
        findings.add(FindingKind::Region, names.instruction(w, i), " reads ",
                     toString(regions[k]), " of operand ", k, ", but ",
                     names.buffer(buffer), " holds ", toString(held));
    }
  }

  /// Pieces, together with the parts of the reduction that they hold, must make
  /// up the result times the whole range, without overlap, and in its order.
  void reduce(int i, const Instruction &instruction) {
    const auto &from = writers[size_t(instruction.from)];
    for (int writer : from) {
      const Instruction &partial = program.instructions[size_t(writer)];
      const tdl::Reducer by = subject.lambdas[size_t(partial.kernel)].reducer;
      const auto reducer = tdl::name(by);
      if (by != tdl::Reducer::None && reducer != instruction.reducer)
        findings.add(FindingKind::Reduction, names.instruction(i),
                     " combines by ", instruction.reducer, " what ",
                     names.instruction(writer), " reduces by ", reducer);
      if (partial.reductions !=
          program.instructions[size_t(from[0])].reductions)
        findings.add(FindingKind::Reduction, names.instruction(i), " combines ",
                     names.instruction(from[0]), " and ",
                     names.instruction(writer),
                     ", which reduce over different ranges");
    }
    if (from.empty())
      return; // nothing is written: that is for checkMemory
    // Parts of one division make up all of it, and termsOf has their order.
    const Region &region =
        program
            .regions[size_t(program.buffers[size_t(instruction.from)].region)];
    if (instruction.pieces.empty() && region.kind == Region::Kind::Divided)
      return; // checkTerms sees whether it is in the terms that it says
    const auto isDividedSo = [&](int writer) {
      return program.instructions[size_t(writer)].indices ==
             program.instructions[size_t(region.instruction)].indices;
    };
    if (instruction.pieces.empty() &&
        std::all_of(from.begin(), from.end(), isDividedSo))
      return;
    const Box range = subject.reductionRange(from[0]);
    for (int w = 0; w < workers(); ++w)
      parts(w, i, instruction, from, range);
  }

  static bool isBefore(const Box &a, const Box &b) {
    return std::lexicographical_compare(
        a.begin(), a.end(), b.begin(), b.end(), [](Interval x, Interval y) {
          return std::tie(x.lo, x.hi) < std::tie(y.lo, y.hi);
        });
  }

  void parts(int w, int i, const Instruction &instruction,
             const std::vector<int> &from, const Box &range) {
    Box whole = subject.box(w, instruction.to);
    if (isEmpty(whole))
      return;
    const size_t rank = whole.size();
    whole.append(range.begin(), range.end());
    std::vector<Box> joint;
    std::vector<int> pieceOf;
    std::optional<Box> last; // part of the reduction, of the piece before
    const auto pieces = piecesOf(subject.partitioned, w, i);
    for (size_t p = 0; p < pieces.size(); ++p)
      for (int writer : from) {
        const auto written = subject.written(pieces[p].worker, writer);
        if (!written)
          continue;
        Box box = intersect(pieces[p].box, *written);
        const Box part = subject.reductionPart(pieces[p].worker, writer);
        if (isEmpty(box) || part.size() != range.size())
          continue;
        // Floats that are added in another order have another sum.
        if (last && isBefore(part, *last))
          findings.add(FindingKind::Reduction, names.instruction(w, i),
                       " combines pieces ", pieceOf.back(), " and ", p,
                       " in another order than that of their terms, ",
                       toString(*last), " and ", toString(part));
        last = part;
        box.append(part.begin(), part.end());
        joint.push_back(std::move(box));
        pieceOf.push_back(int(p));
      }
    std::vector<const Box *> boxes;
    for (const Box &box : joint)
      boxes.push_back(&box);
    const auto problem = tilingProblem(whole, boxes);
    if (problem && problem->overlap)
      findings.add(FindingKind::Reduction, names.instruction(w, i),
                   " counts terms twice: pieces ",
                   pieceOf[size_t(problem->overlap->first)], " and ",
                   pieceOf[size_t(problem->overlap->second)],
                   " have elements and parts of the reduction in common");
    if (problem && problem->missing) {
      const Box &missing = *problem->missing;
      const auto split = missing.begin() + int64_t(rank);
      findings.add(FindingKind::Reduction, names.instruction(w, i),
                   " lacks for the elements ",
                   toString(Box(missing.begin(), split)), " the terms ",
                   toString(Box(split, missing.end())),
                   " of the reduction over ", toString(range));
    }
  }

  const Subject &subject;
  const Program &program;
  Findings &findings;
  const Names &names;
  std::vector<std::vector<int>> writers; // per buffer: computes that write it
  /// Kernel, extents, and shapes of the operands.
  std::set<std::tuple<int, std::vector<int64_t>, analysis::Shapes>> proven;
};

} // namespace

void plan::checkMeaning(const Subject &subject) { Meaning(subject).run(); }
