// The models by name, with their sizes.
#ifndef SMEX_TOOLS_ZOO_MODELS_H
#define SMEX_TOOLS_ZOO_MODELS_H

#include "tools/zoo/ModelBuilder.h"

#include <map>

namespace smex::zoo {

/// An option `--name`.
struct Size {
  std::string name;
  int64_t value; // the default
  int64_t least, most;
  std::string help;
  std::vector<int64_t> choices = {}; // no others, where given
};

/// An option `--name`: a real number in [0, 1), 0 unless given.
struct Fraction {
  std::string name, help;
};

/// An option `--name`: one of some words, the first one unless given.
struct Choice {
  std::string name, help;
  std::vector<std::string> words;
};

/// An option `--name` without a value: not, unless given.
struct Flag {
  std::string name, help;
};

/// What was asked for.
class Sizes {
public:
  int64_t operator[](const std::string &name) const { return values.at(name); }
  int64_t &set(const std::string &name) { return values[name]; }
  double fraction(const std::string &name) const { return fractions.at(name); }
  double &setFraction(const std::string &name) { return fractions[name]; }
  const std::string &word(const std::string &name) const {
    return words.at(name);
  }
  std::string &setWord(const std::string &name) { return words[name]; }
  bool flag(const std::string &name) const { return flags.at(name); }
  bool &setFlag(const std::string &name) { return flags[name]; }

private:
  std::map<std::string, int64_t> values;
  std::map<std::string, double> fractions;
  std::map<std::string, std::string> words;
  std::map<std::string, bool> flags;
};

struct Model {
  std::string name, summary;
  std::vector<Size> sizes;
  /// Fault::Usage, where sizes do not go together.
  Status (*build)(ModelBuilder &, const Sizes &);
  std::vector<Fraction> fractions = {};
  std::vector<Choice> choices = {};
  std::vector<Flag> flags = {};
};

/// In the order in which --help lists them.
std::vector<Model> models();

// One per file.
std::vector<Model> residualModels();
std::vector<Model> inceptionModels();
std::vector<Model> unetModels();
std::vector<Model> denseModels();
std::vector<Model> recurrentModels();
std::vector<Model> transformerModels();
std::vector<Model> e3dModels();
std::vector<Model> graphModels();
std::vector<Model> graphEdgeModels();
std::vector<Model> graphCellModels();
std::vector<Model> graphHeteroModels();
std::vector<Model> graphChangeModels();
std::vector<Model> graphMailboxModels();

/// Fault::Usage, if --layers times --steps cells would be more nodes than smexc
/// reads.
Status checkUnrolled(const Sizes &sizes, int64_t nodesPerCell);

// Sizes that many models have.
Size batchSize(int64_t value);
Size imageSize(int64_t value, int64_t least);
Size classesSize(int64_t value);
Size layersSize(int64_t value);
Size hiddenSize(int64_t value, const std::string &help);
Size vocabularySize(int64_t value);
/// Of `what`, while training.
Fraction dropoutOf(const std::string &what);

} // namespace smex::zoo

#endif
