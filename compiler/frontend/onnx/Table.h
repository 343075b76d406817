// The import table: the only place that knows ONNX's operators by name. A row
// says which template of the library (dialects/tdl/library) an operator is, and
// translates attributes; rows are grouped by topic in ops/.
#ifndef SMEX_COMPILER_FRONTEND_ONNX_TABLE_H
#define SMEX_COMPILER_FRONTEND_ONNX_TABLE_H

#include "compiler/frontend/onnx/Node.h"

#include <functional>

namespace smex::frontend {

using Convert = std::function<void(Node &)>;

struct Row {
  const char *op;
  int since; // the first opset that the row describes
  Convert convert;
  const char *domain = "";
};

/// The row of an operator, or null; `known` is set where the operator exists in
/// another version.
const Row *findRow(const std::string &domain, const std::string &op,
                   int64_t opset, bool &known);

/// Whether an operator of the default domain moves elements without looking at
/// them, so that it takes also types which are only stored.
bool movesElements(const std::string &op);

/// All rows, for the list of operators in README.md.
const std::vector<Row> &allRows();

/// The newest version of the default domain that the table describes.
constexpr int64_t newestOpset = 28;

// Rows that are alike.

/// All operands and all attributes go to the template, under ONNX's names.
Convert direct(const char *op);
/// The operands only; the operator has no attributes.
Convert plain(const char *op);
/// A binary template applied from left to right to any number of operands.
Convert chained(const char *op);
Convert refused(const char *reason);

// ops/*.cpp
std::vector<Row> elementwiseRows();
std::vector<Row> activationRows();
std::vector<Row> castRows();
std::vector<Row> shapeRows();
std::vector<Row> sliceRows();
std::vector<Row> reductionRows();
std::vector<Row> normalizationRows();
std::vector<Row> linearRows();
std::vector<Row> einsumRows();
std::vector<Row> convolutionRows();
std::vector<Row> poolingRows();
std::vector<Row> gatherRows();
std::vector<Row> selectionRows();
std::vector<Row> resizeRows();
std::vector<Row> lossRows();
std::vector<Row> quantizationRows();
std::vector<Row> recurrentRows();
std::vector<Row> randomRows();
std::vector<Row> signalRows();
std::vector<Row> visionRows();
std::vector<Row> optimizerRows();
std::vector<Row> attentionRows();
std::vector<Row> sequenceRows();
std::vector<Row> ngramRows();
std::vector<Row> legacyRows();
std::vector<Row> mlRows();
std::vector<Row> treeRows();
std::vector<Row> refusedRows();

} // namespace smex::frontend

#endif
