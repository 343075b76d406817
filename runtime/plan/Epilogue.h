// Epilogues: a product of matrices and the map that follows, which a library
// may do in one call. They stay two instructions, each with its lambda, and a
// backend without such a library does the one and then the other. The compiler
// decides, and the plan says (Instruction::epilogueOf), where the map may be
// done at the product's place in the list:
//
// - it is bias and activation as analysis::matchEpilogue has them, of all that
//   the product makes on each worker, whose terms are all there;
// - nothing else reads what the product makes;
// - its result lies where the product's does, so that no other memory is
//   touched, and sooner by nothing than the product touches it;
// - its bias is ready when the product starts: the product waits for it.
#ifndef SMEX_RUNTIME_PLAN_EPILOGUE_H
#define SMEX_RUNTIME_PLAN_EPILOGUE_H

#include "dialects/tdl/analysis/Epilogue.h"
#include "runtime/plan/MatrixProduct.h"
#include "runtime/plan/Plan.h"

namespace smex::plan {

/// What stands in the way, for messages: "instruction 3 makes terms of a
/// reduction". Empty: by their lambdas and tensors the instruction can be the
/// epilogue of the one that it names. `lambdas`: one per kernel.
std::string notEpilogue(const Program &program,
                        const std::vector<tdl::Lambda> &lambdas,
                        int instruction);

/// Of an instruction that is one: which of its operands the product has made.
int productOperand(const Program &program, int instruction);

/// Per instruction, its epilogue, or -1.
std::vector<int> epilogues(const Program &program);

/// What a worker reads of the bias, for its part of the map's index variables.
Box biasRegion(const analysis::Epilogue &epilogue, const Box &indices,
               int biasRank);

/// Whether a library that does one product at a time does the epilogue with it:
/// the product is one call, and the bias, if there is one, has an element for
/// each of its rows, which are what lies together in the result: the last
/// dimensions.
bool isInOneCall(const MatrixProduct &product,
                 std::optional<int64_t> biasElements);
/// The same of a worker's part of an instruction that is an epilogue, by a
/// library of GPUs. (Where in memory the bias begins may be in the way yet.)
bool isInOneCall(const Partitioned &partitioned,
                 const std::vector<tdl::Lambda> &lambdas, int worker,
                 int instruction);

} // namespace smex::plan

#endif
