// The bytes of CommunicationBytes.h, fast and for many choices at once: a table
// per (operator, operand) and per (operator, result), with a row for each way
// in which the operator may be cut and a column for each way of the tensor.
//
// A group's share, the region it needs and the part it owns are all boxes, and
// an interval of one of them depends only on the steps that cut the index
// variables it mentions. So intervals and overlaps are found per dimension and
// per distinct pattern of cuts, and an entry of a table is a sum over groups of
// products over dimensions. Operators that differ in nothing but their names
// share tables, and what is read and written alike by others is found once.
#ifndef SMEX_COMPILER_PARTITION_PAIRCOSTS_H
#define SMEX_COMPILER_PARTITION_PAIRCOSTS_H

#include "compiler/partition/Numbering.h"
#include "compiler/partition/Overlaps.h"

#include <deque>

namespace smex::partition {

/// A table of PairCosts, and what each of its bytes costs.
struct Priced {
  int table;
  int64_t price;
};

class PairCosts {
public:
  explicit PairCosts(const OperatorGraph &graph);

  /// A number for a list of candidates, equal for equal lists.
  int add(const Candidates &candidates);
  const Candidates &candidates(int list) const { return lists[list]; }

  /// Numbers of tables, to be looked up with `bytes`.
  int read(int op, int operand, int operatorList, int tensorList, Count count);
  int write(int op, int operatorList, int tensorList);

  /// The same of what crosses between the groups of the first `steps` steps.
  int crossingRead(int op, int operand, int operatorList, int tensorList,
                   size_t steps);
  int crossingWrite(int op, int operatorList, int tensorList, size_t steps);

  /// More bytes than this are counted as this: then no sum over the graph
  /// leaves 63 bits, and who takes such a choice has no plan (kMostBytes).
  int64_t most() const { return mostBytes; }

  /// Row-major, a row per candidate of the operator.
  const std::vector<int64_t> &bytes(int table) const {
    return contents[contentOf[table]];
  }

  /// Numbers that are equal for operators alike in extents, splits, accesses
  /// and tensor types, and for tensors alike in shape and element size.
  int operatorClass(int op) const { return operatorClasses[op]; }
  int tensorClass(int tensor) const { return tensorClasses[tensor]; }

private:
  std::vector<int64_t> makeRead(const Operator &reader, const Operand &read,
                                const Candidates &rows,
                                const Candidates &columns, Count count);
  /// `steps`: only what comes from another of their groups.
  std::vector<int64_t> makeWrite(const Operator &writer, const Candidates &rows,
                                 const Candidates &columns, size_t steps);
  int64_t countWrite(const Operator &writer, const History &ofOperator,
                     const History &ofTensor, const Ways &ways, size_t steps);
  template <typename Make> void addTable(const Numbering::Key &key, Make make);
  const Groups &groupsOf(const std::vector<int64_t> &ways);

  const OperatorGraph &graph;
  int64_t mostBytes;
  std::map<std::vector<int64_t>, Groups> groups;
  std::vector<int> operatorClasses, tensorClasses;
  Numbering listKeys, tableKeys, contentKeys;
  std::deque<Candidates> lists; // deques: references to elements stay valid
  std::vector<int> contentOf;   // of each table
  std::deque<std::vector<int64_t>> contents;
};

} // namespace smex::partition

#endif
