#include "dialects/tdl/lambda/Bytecode.h"

#include "dialects/tdl/lambda/IndexSum.h"

using namespace smex;
using namespace smex::tdl;

bool Bytecode::addLinear(const ExprRef &e, Instruction &instruction) {
  const IndexSum sum = indexSum(e);
  for (const IndexSum::Term &term : sum.terms)
    if (term.atom->kind != ExprKind::Index)
      return false;
  instruction.code = Code::Linear;
  instruction.value.integer = sum.constant;
  instruction.first = int(terms.size());
  instruction.count = int(sum.terms.size());
  for (const IndexSum::Term &term : sum.terms)
    terms.push_back({term.atom->index, term.factor});
  return true;
}

static bool readsAny(const ExprRef &e) {
  bool found = false;
  walk(e, [&](const ExprRef &part) { found |= part->kind == ExprKind::Read; });
  return found;
}

int Bytecode::add(const ExprRef &e) {
  Instruction instruction;
  instruction.type = instruction.result = e->type;
  const bool isSum = e->type == DType::I64 && (e->kind == ExprKind::Index ||
                                               e->kind == ExprKind::Binary);
  std::vector<int> children;
  if (!isSum || !addLinear(e, instruction)) {
    for (const ExprRef &child : e->children)
      children.push_back(add(child));
    if (e->otherwise)
      instruction.otherwise = add(e->otherwise);
    instruction.first = int(links.size());
    instruction.count = int(children.size());
    links.insert(links.end(), children.begin(), children.end());
    for (const ExprRef &child : e->children)
      readsData.push_back(e->kind == ExprKind::Read && readsAny(child));
    instruction.operand = e->operand;
    instruction.dim = e->dim;
    instruction.unary = e->unary;
    instruction.binary = e->binary;
    if (!children.empty())
      instruction.type = e->children[0]->type;
    switch (e->kind) {
    case ExprKind::Int:
      instruction.code = Code::Constant;
      instruction.value.integer = e->integer;
      break;
    case ExprKind::Float:
      instruction.code = Code::Constant;
      instruction.value.real = e->real;
      break;
    case ExprKind::Extent:
      instruction.code = Code::Extent;
      break;
    case ExprKind::Read:
      instruction.code = Code::Read;
      instruction.type = e->type;
      break;
    case ExprKind::Unary:
      instruction.code = Code::Unary;
      break;
    case ExprKind::Binary: {
      const bool isBool = instruction.type == DType::Bool;
      instruction.code = isBool && e->binary == BinaryOp::And  ? Code::And
                         : isBool && e->binary == BinaryOp::Or ? Code::Or
                                                               : Code::Binary;
      break;
    }
    case ExprKind::Select:
      instruction.code = Code::Select;
      break;
    case ExprKind::Cast:
      instruction.code = Code::Cast;
      break;
    case ExprKind::Index:
    case ExprKind::Opaque:
      break; // see the caller
    }
  }
  instructions.push_back(instruction);
  return int(instructions.size()) - 1;
}
