#include "test/conformance/PlanBreakages.h"

#include "runtime/plan/Regions.h"

#include <stdexcept>

using namespace smex;
using namespace smex::conformance;
using plan::Instruction;
using plan::Opcode;
using plan::Plan;

/// Boxes follow from regions.
static bool evaluated(Plan &plan) {
  auto lambdas = plan::lambdasOf(plan.partitioned.program);
  if (!lambdas)
    throw std::logic_error(lambdas.error().message);
  plan::evaluate(plan.partitioned.program, *lambdas);
  return true;
}

const Breakages &conformance::computeBreakages() {
  static const Breakages all = {
      {"the kernel of another operator on operands of the same types",
       [](Plan &p) {
         auto &program = p.partitioned.program;
         return first(p, [&](Instruction &each) {
           if (each.op != Opcode::Compute)
             return false;
           const auto mine =
               tdl::parseLambda(program.kernels[size_t(each.kernel)].lambda);
           for (size_t k = 0; k < program.kernels.size(); ++k) {
             const auto other = tdl::parseLambda(program.kernels[k].lambda);
             if (int(k) == each.kernel || other->rank() != mine->rank() ||
                 other->indexCount() != mine->indexCount() ||
                 other->operands.size() != mine->operands.size())
               continue;
             bool isAlike = true;
             for (size_t o = 0; o < mine->operands.size(); ++o)
               isAlike =
                   isAlike && other->operands[o].rank == mine->operands[o].rank;
             if (!isAlike)
               continue;
             each.kernel = int(k);
             return evaluated(p);
           }
           return false;
         });
       },
       Who::Check},
      {"two functions of the code are exchanged",
       [](Plan &p) {
         auto &kernels = p.partitioned.program.kernels;
         const auto &launches = p.code[0].launches;
         for (const plan::Kernel &one : kernels)
           for (const plan::Kernel &other : kernels) {
             const auto a = tdl::parseLambda(one.lambda),
                        b = tdl::parseLambda(other.lambda);
             const auto arguments = [](const tdl::Lambda &lambda) {
               int count = 2 * (lambda.rank() + lambda.indexCount());
               for (const tdl::Operand &operand : lambda.operands)
                 count += 1 + 3 * operand.rank;
               return count;
             };
             if (one.symbol == other.symbol || arguments(*a) != arguments(*b) ||
                 a->indexCount() != b->indexCount() ||
                 !(launches.at(one.symbol) == launches.at(other.symbol)))
               continue;
             const std::string x = one.symbol, y = other.symbol;
             for (auto *each :
                  {&p.partitioned.program, &p.unpartitioned.program})
               for (plan::Kernel &kernel : each->kernels)
                 kernel.symbol = kernel.symbol == x   ? y
                                 : kernel.symbol == y ? x
                                                      : kernel.symbol;
             return true;
           }
         return false;
       },
       Who::Code},
      {"a kernel is launched with half of its threads",
       [](Plan &p) {
         for (auto &[symbol, launch] : p.code[0].launches)
           launch.threads /= 2;
         return !p.code[0].launches.empty();
       },
       Who::Loader},
      {"arguments go to memory that a kernel has as parameters",
       [](Plan &p) {
         for (auto &[symbol, launch] : p.code[0].launches)
           launch.inMemory = !launch.inMemory;
         return !p.code[0].launches.empty();
       },
       Who::Loader, false},
      {"another number in the code",
       [](Plan &p) {
         std::string &text = p.code[0].bytes;
         const size_t at = text.find("%ctaid.x");
         if (at == std::string::npos)
           return false;
         text.replace(at, 8, "%tid.x  ");
         return true;
       },
       Who::Code},
      {"a computation is done by one worker alone",
       [](Plan &p) {
         return first(p, [&](Instruction &each) {
           if (each.op != Opcode::Compute)
             return false;
           plan::Region &region =
               p.partitioned.program.regions[size_t(each.indices)];
           if (region.kind != plan::Region::Kind::Divided)
             return false;
           for (Division &division : region.divisions)
             if (division.isPart()) {
               division = Division::placed(0);
               return evaluated(p);
             }
           return false;
         });
       },
       Who::Either, false},
      {"an output is the value of another one",
       [](Plan &p) {
         auto &program = p.partitioned.program;
         for (plan::Port &a : program.outputs)
           for (plan::Port &b : program.outputs) {
             const auto typeOf = [&](const plan::Port &port) {
               return program
                   .tensors[size_t(program.buffers[size_t(port.buffer)].tensor)]
                   .type;
             };
             if (&a != &b && typeOf(a) == typeOf(b)) {
               a.buffer = b.buffer;
               return true;
             }
           }
         return false;
       },
       Who::Check},
      {"operands are exchanged",
       [](Plan &p) {
         return first(p, [](Instruction &each) {
           if (each.op != Opcode::Compute || each.operands.size() != 2 ||
               each.operands[0] == each.operands[1])
             return false;
           std::swap(each.operands[0], each.operands[1]);
           return true;
         });
       },
       Who::Either, false},
      {"a sum ends before its last term",
       [](Plan &p) {
         return first(p, [](Instruction &each) {
           if (each.op != Opcode::Compute || each.reductions.empty() ||
               each.reductions[0] < 2)
             return false;
           --each.reductions[0];
           return true;
         });
       },
       Who::Either, false},
  };
  return all;
}
