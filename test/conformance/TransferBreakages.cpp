#include "test/conformance/PlanBreakages.h"

#include "runtime/plan/Regions.h"

using namespace smex;
using namespace smex::conformance;
using plan::Instruction;
using plan::Opcode;
using plan::Plan;

namespace {

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

} // namespace

const Breakages &conformance::transferBreakages() {
  static const Breakages all = {
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
           each.collective->kind =
               each.collective->kind == CollectiveKind::Shift
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
  };
  return all;
}

/// Where some moves were, none are.
const Breakages &conformance::moveBreakages() {
  static const Breakages all = {
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
  return all;
}
