// Plans that are broken on purpose, each in one place, and who notices it
// before anything runs: the loader, check(), or whoever generates the code
// again. What happens on emulated GPUs if it is run all the same is tried, too.
#include "compiler/pipeline/Pipeline.h"
#include "runtime/plan/Check.h"
#include "runtime/plan/Load.h"
#include "runtime/plan/Regions.h"
#include "test/conformance/HostMoves.h"
#include "test/conformance/RandomModel.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>

using namespace smex;
using namespace smex::conformance;
using plan::Instruction;
using plan::Opcode;
using plan::Plan;

namespace {

enum class Who { Loader, Check, Code, Either };
const char *const names[] = {"the loader", "check", "generating it again",
                             "the loader or check"};

struct Breakage {
  const char *what;
  /// False: this plan has no place for it.
  std::function<bool(Plan &)> apply;
  Who notices;
  /// Whether some of such plans are run, and must go wrong, on emulated GPUs.
  bool shows = true;
};

std::vector<Instruction> &instructionsOf(Plan &plan) {
  return plan.partitioned.program.instructions;
}

bool first(Plan &plan, const std::function<bool(Instruction &)> &change) {
  for (Instruction &each : instructionsOf(plan))
    if (change(each))
      return true;
  return false;
}

/// Lists what a division says, so that it can be changed.
void list(Plan &plan, Instruction &instruction) {
  const int number = int(&instruction - instructionsOf(plan).data());
  std::vector<std::vector<Piece>> pieces;
  for (size_t w = 0; w < plan.partitioned.workers.size(); ++w)
    pieces.push_back(plan::piecesOf(plan.partitioned, int(w), number));
  instruction.pieces = std::move(pieces);
  instruction.collective.reset();
}

/// The first piece that comes from another worker.
bool firstPiece(Plan &plan, Opcode op,
                const std::function<bool(size_t worker, Piece &)> &change) {
  return first(plan, [&](Instruction &each) {
    if (each.op != op)
      return false;
    list(plan, each);
    for (size_t w = 0; w < each.pieces.size(); ++w)
      for (Piece &piece : each.pieces[w])
        if (size_t(piece.worker) != w && change(w, piece))
          return true;
    return false;
  });
}

/// Boxes follow from regions.
bool evaluated(Plan &plan) {
  auto lambdas = plan::lambdasOf(plan.partitioned.program);
  REQUIRE(lambdas);
  plan::evaluate(plan.partitioned.program, *lambdas);
  return true;
}

bool withoutWait(Plan &plan, Opcode op) {
  return first(plan, [&](Instruction &each) {
    if (each.op != op || each.waits.empty())
      return false;
    each.waits.clear();
    return true;
  });
}

const std::vector<Breakage> breakages = {
    {"a fetch waits for nobody",
     [](Plan &p) { return withoutWait(p, Opcode::Fetch); }, Who::Check},
    {"a computation waits for no fetch",
     [](Plan &p) { return withoutWait(p, Opcode::Compute); }, Who::Check},
    {"a reduction waits for no terms",
     [](Plan &p) { return withoutWait(p, Opcode::Reduce); }, Who::Check},
    {"an instruction waits for itself",
     [](Plan &p) {
       auto &all = instructionsOf(p);
       for (size_t i = 0; i < all.size(); ++i)
         if (!all[i].waits.empty()) {
           all[i].waits[0].instruction = int(i);
           return true;
         }
       return false;
     },
     Who::Loader, false},
    {"a result lies where its operand is",
     [](Plan &p) {
       auto &buffers = p.partitioned.program.buffers;
       return first(p, [&](Instruction &each) {
         if (each.op != Opcode::Compute || each.operands.empty() ||
             buffers[size_t(each.to)].offsets ==
                 buffers[size_t(each.operands[0])].offsets)
           return false;
         buffers[size_t(each.to)].offsets =
             buffers[size_t(each.operands[0])].offsets;
         return true;
       });
     },
     Who::Check},
    {"two inputs lie in one place",
     [](Plan &p) {
       auto &program = p.partitioned.program;
       const int a = program.inputs[0].buffer, b = program.inputs[1].buffer;
       program.buffers[size_t(a)].offsets = program.buffers[size_t(b)].offsets;
       for (size_t w = 0; w < p.partitioned.workers.size(); ++w)
         if (!isEmpty(p.partitioned.box(int(w), a)) &&
             !isEmpty(p.partitioned.box(int(w), b)))
           return true;
       return false;
     },
     Who::Check},
    {"an offset that no vector may begin at",
     [](Plan &p) {
       for (int64_t &offset : p.partitioned.program.buffers[0].offsets)
         offset += 4;
       return true;
     },
     Who::Loader, false},
    {"an offset behind the arena",
     [](Plan &p) {
       for (int64_t &offset : p.partitioned.program.buffers[0].offsets)
         offset += int64_t(1) << 30;
       return true;
     },
     Who::Loader, false},
    {"an arena that is too small",
     [](Plan &p) {
       p.partitioned.workers[0].arenaBytes -= 64;
       return true;
     },
     Who::Loader, false},
    {"a piece comes from another worker than its owner",
     [](Plan &p) {
       const int workers = int(p.partitioned.workers.size());
       return firstPiece(p, Opcode::Fetch, [&](size_t w, Piece &piece) {
         for (int other = 0; other < workers; ++other)
           if (other != piece.worker && other != int(w)) {
             piece.worker = other;
             return true;
           }
         return false;
       });
     },
     Who::Either, false},
    {"a piece is one row too short",
     [](Plan &p) {
       return firstPiece(p, Opcode::Fetch, [&](size_t, Piece &piece) {
         for (Interval &side : piece.box)
           if (side.size() > 1) {
             --side.hi;
             return true;
           }
         return false;
       });
     },
     Who::Loader, false},
    {"a term of a sum is left out",
     [](Plan &p) {
       return first(p, [&](Instruction &each) {
         if (each.op != Opcode::Reduce)
           return false;
         list(p, each);
         for (auto &own : each.pieces)
           if (own.size() > 1) {
             own.pop_back();
             return true;
           }
         return false;
       });
     },
     Who::Check},
    {"terms of a sum in another order",
     [](Plan &p) {
       return first(p, [&](Instruction &each) {
         if (each.op != Opcode::Reduce)
           return false;
         list(p, each);
         for (auto &own : each.pieces)
           if (own.size() > 1 && own[0].box == own[1].box) {
             std::swap(own[0], own[1]);
             return true;
           }
         return false;
       });
     },
     Who::Check, false}, // small integers have one sum
    {"another reducer",
     [](Plan &p) {
       return first(p, [](Instruction &each) {
         if (each.op != Opcode::Reduce)
           return false;
         each.reducer = each.reducer == "Sum" ? "Max" : "Sum";
         return true;
       });
     },
     Who::Check},
    {"another name for a collective",
     [](Plan &p) {
       return first(p, [](Instruction &each) {
         if (!each.collective || each.op != Opcode::Fetch)
           return false;
         each.collective->kind = each.collective->kind == CollectiveKind::Shift
                                     ? CollectiveKind::AllGather
                                     : CollectiveKind::Shift;
         return true;
       });
     },
     Who::Check, false}, // local GPUs need no names
    {"a collective over no workers",
     [](Plan &p) {
       return first(p, [](Instruction &each) {
         if (!each.collective)
           return false;
         each.collective->over = 0;
         return true;
       });
     },
     Who::Loader, false},
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
           if (one.symbol == other.symbol ||
               a->indexCount() != b->indexCount() ||
               !(launches.at(one.symbol) == launches.at(other.symbol)))
             continue;
           const std::string x = one.symbol, y = other.symbol;
           for (auto *each : {&p.partitioned.program, &p.unpartitioned.program})
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
     Who::Code},
    {"arguments go to memory that a kernel has as parameters",
     [](Plan &p) {
       for (auto &[symbol, launch] : p.code[0].launches)
         launch.inMemory = !launch.inMemory;
       return !p.code[0].launches.empty();
     },
     Who::Code, false},
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

/// Where some moves were, none are.
const std::vector<Breakage> moveBreakages = {
    {"a buffer does not come back from the host",
     [](Plan &p) {
       auto &all = instructionsOf(p);
       for (Instruction &each : all)
         if (each.op == Opcode::FromHost) {
           const int to = each.to;
           int was = -1;
           for (const Instruction &other : all)
             if (other.op == Opcode::ToHost)
               was = other.from;
           for (Instruction &other : all)
             for (int &operand : other.operands)
               if (operand == to)
                 operand = was;
           return true;
         }
       return false;
     },
     Who::Check, false},
    {"it comes back before it has gone",
     [](Plan &p) {
       return first(p, [](Instruction &each) {
         if (each.op != Opcode::FromHost)
           return false;
         each.waits.clear();
         return true;
       });
     },
     Who::Check},
    {"it goes before it is computed",
     [](Plan &p) { return withoutWait(p, Opcode::ToHost); }, Who::Check},
};

/// Who notices it, or "".
std::string noticed(const Plan &plan) {
  if (const Status valid = plan::validate(plan); !valid) {
    UNSCOPED_INFO(valid.error().message);
    return names[int(Who::Loader)];
  }
  if (const std::string found = findingsOf(plan); !found.empty()) {
    UNSCOPED_INFO(found);
    return names[int(Who::Check)];
  }
  const plan::Artifact &artifact = plan.code[0];
  const auto again = pipeline::regenerateKernels(plan, artifact.target);
  if (!again || again->bytes != artifact.bytes ||
      again->launches != artifact.launches)
    return names[int(Who::Code)];
  return "";
}

/// In a process of its own: an error of a GPU stays.
bool goesWrong(const Plan &plan, const std::vector<runtime::Feed> &feeds,
               const std::vector<Tensor> &outputs) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(60);
    bool isRight = false;
    if (auto backend = runtime::makeBackend("cuda")) {
      runtime::RunOptions options;
      options.steps = 2;
      const auto result =
          runtime::execute(plan.partitioned, plan.code, **backend,
                           NoParameters(), feeds, options);
      isRight = bool(result);
      for (size_t o = 0; isRight && o < outputs.size(); ++o)
        isRight = result->outputs[o].bytes == outputs[o].bytes;
    }
    _exit(isRight ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

} // namespace

TEST_CASE("broken plans are noticed, each by whom it should be") {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  loadDialects(context);
  std::vector<Divided> examples;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    Random random(seed + 77);
    const Evaluated model = randomModel(random, DType::F32);
    DivideOptions how;
    how.targets = {"sm_80"};
    how.alike = seed % 2;
    auto example = divide(context, model, random, how);
    REQUIRE(example);
    REQUIRE(noticed(example->plan) == "");
    examples.push_back(std::move(*example));
  }
  REQUIRE_FALSE(
      goesWrong(examples[0].plan, examples[0].feeds, examples[0].outputs));
  for (const Breakage &breakage : breakages) {
    INFO(breakage.what);
    int tried = 0;
    bool shown = false;
    for (const Divided &example : examples) {
      Plan plan = example.plan;
      if (!breakage.apply(plan))
        continue;
      const std::string by = noticed(plan);
      if (by.empty()) { // then it is right, as when two values are the same
        CHECK_FALSE(goesWrong(plan, example.feeds, example.outputs));
        continue;
      }
      ++tried;
      if (breakage.notices == Who::Either)
        CHECK((by == names[0] || by == names[1]));
      else
        CHECK(by == names[int(breakage.notices)]);
      if (breakage.shows && !shown && tried <= 4)
        shown = goesWrong(plan, example.feeds, example.outputs);
    }
    CHECK(tried > 0);
    if (breakage.shows)
      CHECK(shown);
  }
}

TEST_CASE("broken moves to the host are noticed") {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  loadDialects(context);
  const auto moves = hostMoves(context, /*overlap=*/false, {"sm_80"});
  REQUIRE(moves);
  REQUIRE(noticed(moves->plan) == "");
  for (const Breakage &breakage : moveBreakages) {
    INFO(breakage.what);
    Plan plan = moves->plan;
    REQUIRE(breakage.apply(plan));
    CHECK(noticed(plan) == names[int(breakage.notices)]);
    if (breakage.shows)
      CHECK(goesWrong(plan, moves->feeds, {moves->output}));
  }
}

TEST_CASE("so many broken plans are tried") {
  CHECK(breakages.size() + moveBreakages.size() >= 25);
}
