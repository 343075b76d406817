#include "compiler/partition/Contiguous.h"

#include <cstdlib>
#include <limits>

using namespace smex;
using namespace smex::partition;

namespace {

using Instruction = analysis::IntervalProgram::Instruction;

/// A value as a function of the index variables: a sum of terms
/// factor * (something that takes each value of an interval of `size` integers,
/// independently of the other terms) and a constant. No term: constant. What
/// cannot be put so is `unknown`.
struct Form {
  struct Term {
    int64_t factor, size;
  };
  std::vector<Term> terms;
  std::vector<int> indices;
  int64_t constant = 0;
  bool unknown = false;

  bool isConstant() const { return terms.empty() && !unknown; }
};

/// The values of the sum are all the integers between its least and its
/// largest: each factor is at most one more than what the smaller ones span.
bool isContiguous(Form form) {
  std::sort(form.terms.begin(), form.terms.end(), [](auto a, auto b) {
    return std::abs(a.factor) < std::abs(b.factor);
  });
  __int128 span = 0;
  for (const Form::Term &term : form.terms) {
    if (std::abs(term.factor) > span + 1)
      return false;
    span += __int128(std::abs(term.factor)) * (term.size - 1);
  }
  return !form.unknown;
}

Form unknown() {
  Form form;
  form.unknown = true;
  return form;
}

/// Collapses a contiguous form into one term; its size no longer matters for
/// anything but how far it spans, for which 1 is the safe answer.
Form contiguousImage(const Form &form) {
  if (!isContiguous(form))
    return unknown();
  Form image;
  image.indices = form.indices;
  image.terms = {{1, 1}};
  return image;
}

Form add(Form a, const Form &b, int64_t sign) {
  if (a.unknown || b.unknown)
    return unknown();
  for (int index : b.indices) // x[i + i] has gaps
    if (std::find(a.indices.begin(), a.indices.end(), index) != a.indices.end())
      return unknown();
  for (Form::Term term : b.terms)
    a.terms.push_back({sign * term.factor, term.size});
  a.indices.insert(a.indices.end(), b.indices.begin(), b.indices.end());
  if (__builtin_add_overflow(a.constant, sign * b.constant, &a.constant))
    return unknown();
  return a;
}

Form multiply(Form form, int64_t factor) {
  if (factor == 0)
    return {};
  if (__builtin_mul_overflow(form.constant, factor, &form.constant))
    return unknown();
  for (Form::Term &term : form.terms)
    if (__builtin_mul_overflow(term.factor, factor, &term.factor) ||
        term.factor == std::numeric_limits<int64_t>::min())
      return unknown();
  return form;
}

Form apply(Instruction::Code code, const Form &a, const Form &b) {
  switch (code) {
  case Instruction::Add:
    return add(a, b, 1);
  case Instruction::Sub:
    return add(a, b, -1);
  case Instruction::Mul:
    if (b.isConstant())
      return multiply(a, b.constant);
    return a.isConstant() ? multiply(b, a.constant) : unknown();
  // Of integers without gaps these leave none.
  case Instruction::FloorDiv:
    return b.isConstant() && b.constant != 0 ? contiguousImage(a) : unknown();
  case Instruction::Min:
  case Instruction::Max:
    if (b.isConstant())
      return contiguousImage(a);
    return a.isConstant() ? contiguousImage(b) : unknown();
  default:
    return unknown();
  }
}

} // namespace

bool partition::isContiguous(const analysis::IntervalProgram &program,
                             const Box &indices) {
  // The whole dimension is needed for each single point.
  if (program.code.empty() || (program.code.size() == 1 &&
                               program.code.front().code == Instruction::Whole))
    return true;
  std::vector<Form> stack;
  for (const Instruction &instruction : program.code) {
    Form pushed;
    switch (instruction.code) {
    case Instruction::Index: {
      const Interval interval = indices[instruction.value];
      if (interval.size() <= 1) {
        pushed.constant = interval.lo;
      } else {
        pushed.indices = {int(instruction.value)};
        pushed.terms = {{1, interval.size()}};
      }
      break;
    }
    case Instruction::Const:
      pushed.constant = instruction.value;
      pushed.unknown = instruction.value == std::numeric_limits<int64_t>::min();
      break;
    case Instruction::Whole:
      pushed.unknown = true;
      break;
    case Instruction::AtMost:
    case Instruction::AtLeast:
      stack.back() = unknown();
      continue;
    default: {
      const Form b = std::move(stack.back());
      stack.pop_back();
      stack.back() = apply(instruction.code, stack.back(), b);
      continue;
    }
    }
    stack.push_back(std::move(pushed));
  }
  return ::isContiguous(stack.back());
}

std::vector<int>
partition::indicesOf(const analysis::IntervalProgram &program) {
  std::vector<int> indices;
  for (const Instruction &instruction : program.code)
    if (instruction.code == Instruction::Index)
      indices.push_back(int(instruction.value));
  std::sort(indices.begin(), indices.end());
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  return indices;
}
