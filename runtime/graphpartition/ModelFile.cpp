#include "runtime/graphpartition/ModelFile.h"

#include "dialects/support/File.h"
#include "runtime/plan/Cursor.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>

using namespace smex;
using namespace smex::graphpartition;
using plan::Cursor;
using plan::Json;

namespace {

constexpr const char *format = "smex-graph-cost-model";
constexpr int64_t mostWidth = (int64_t(1) << 24) - 1;

std::array<double, featureCount> numbers(const Cursor &at) {
  std::array<double, featureCount> result{};
  const std::vector<double> list = at.list([](const Cursor &number) {
    const double value = number.real();
    if (number.ok() && !(std::isfinite(value) && value >= 0))
      number.refuse("must be a finite number, 0 or more");
    return value;
  });
  if (at.ok() && list.size() != featureCount)
    at.refuse("must be " + std::to_string(featureCount) +
              " numbers, one per feature");
  if (at.ok())
    std::copy(list.begin(), list.end(), result.begin());
  return result;
}

LayerFit readFit(const Cursor &at) {
  at.object({"products", "seconds", "squares", "timings"});
  LayerFit::Sums sums;
  const auto rows = at.list("products", numbers);
  if (at.ok() && rows.size() != featureCount)
    at.refuse("\"products\" must be a square matrix of features");
  if (at.ok())
    std::copy(rows.begin(), rows.end(), sums.products.begin());
  sums.seconds = at.with("seconds", numbers);
  const std::string squares = at.string("squares");
  if (at.ok() && squares != "seconds" && squares != "shares")
    at.refuse("\"squares\" must be \"seconds\" or \"shares\"");
  const int64_t timings = at.integer("timings", 0, int64_t(1) << 53);
  return LayerFit(sums, timings,
                  squares == "shares" ? LayerFit::Squares::Shares
                                      : LayerFit::Squares::Seconds);
}

FittedLayer readLayer(const Cursor &at) {
  at.object({"weights", "width"}, {"fit", "gradient", "reversed"});
  FittedLayer layer;
  layer.width = at.integer("width", 1, mostWidth);
  layer.weights = at.with("weights", [](const Cursor &weights) {
    constexpr double most = 1e6; // seconds; sums over any graph are finite
    Weights all = numbers(weights);
    if (weights.ok() && std::any_of(all.begin(), all.end(), [](double weight) {
          return weight > most;
        }))
      weights.refuse("must be at most a million seconds each");
    return all;
  });
  if (at.has("fit"))
    layer.fit = at.with("fit", readFit);
  layer.gradient = at.has("gradient") && at.boolean("gradient");
  layer.reversed = at.has("reversed") && at.boolean("reversed");
  return layer;
}

std::string listed(const std::vector<int64_t> &widths) {
  std::string text;
  for (int64_t width : widths)
    text += (text.empty() ? "" : ", ") + std::to_string(width);
  return text.empty() ? "none" : text;
}

} // namespace

CostModel ModelFile::weights() const {
  CostModel all;
  for (const FittedLayer &layer : layers)
    all.push_back(layer.weights);
  return all;
}

std::string graphpartition::formatModelFile(const ModelFile &file) {
  Json layers = Json::array();
  for (const FittedLayer &layer : file.layers) {
    Json json = {{"weights", layer.weights}, {"width", layer.width}};
    if (layer.fit.timings() > 0)
      json["fit"] = {
          {"products", layer.fit.sums().products},
          {"seconds", layer.fit.sums().seconds},
          {"squares", layer.fit.minimized() == LayerFit::Squares::Shares
                          ? "shares"
                          : "seconds"},
          {"timings", layer.fit.timings()}};
    if (layer.gradient)
      json["gradient"] = true;
    if (layer.reversed)
      json["reversed"] = true;
    layers.push_back(std::move(json));
  }
  return plan::canonicalJson({{"format", format},
                              {"layers", layers},
                              {"model", file.model},
                              {"version", 1}});
}

Result<ModelFile> graphpartition::readModelFile(std::string_view text,
                                                const std::string &file) {
  const auto json = plan::parseJson(text);
  if (!json)
    return fail(file, ": ", json.error().message);
  std::optional<Error> error;
  const Cursor at(*json, file, error);
  at.object({"format", "layers", "model", "version"});
  at.with("format", [](const Cursor &name) {
    if (name.string() != format)
      name.refuse("must be \"" + std::string(format) + "\"");
  });
  at.integer("version", 1, 1);
  ModelFile model;
  model.model = at.string("model");
  model.layers = at.list("layers", readLayer);
  if (error)
    return *error;
  return model;
}

Result<ModelFile> graphpartition::readModelFileAt(const std::string &path) {
  const auto text = readFile(path);
  return text ? readModelFile(*text, path) : text.error();
}

namespace {

std::vector<int64_t> widthsOf(const std::vector<FittedLayer> &layers) {
  std::vector<int64_t> widths;
  for (const FittedLayer &layer : layers)
    widths.push_back(layer.width);
  return widths;
}

std::vector<int64_t> sorted(std::vector<int64_t> widths) {
  std::sort(widths.begin(), widths.end());
  return widths;
}

/// For each of these widths a layer that has it, in turn where several do;
/// nothing if any width is in one of the lists only.
std::optional<std::vector<FittedLayer>>
ofWidths(const std::vector<FittedLayer> &layers,
         const std::vector<int64_t> &widths) {
  std::map<int64_t, std::vector<const FittedLayer *>> byWidth;
  for (const FittedLayer &layer : layers)
    byWidth[layer.width].push_back(&layer);
  std::map<int64_t, size_t> taken;
  std::vector<FittedLayer> found;
  for (int64_t width : widths) {
    const auto same = byWidth.find(width);
    if (same == byWidth.end())
      return std::nullopt;
    found.push_back(*same->second[taken[width]++ % same->second.size()]);
  }
  if (taken.size() < byWidth.size())
    return std::nullopt;
  return found;
}

bool isFitted(const ModelFile &model) {
  return model.layers.empty() ||
         std::any_of(model.layers.begin(), model.layers.end(),
                     [](const FittedLayer &layer) {
                       return std::any_of(
                           layer.weights.begin(), layer.weights.end(),
                           [](double weight) { return weight > 0; });
                     });
}

} // namespace

Result<std::vector<FittedLayer>>
graphpartition::layersFor(const ModelFile &model,
                          const std::vector<int64_t> &widths,
                          const std::string &file) {
  std::vector<FittedLayer> forward;
  std::copy_if(model.layers.begin(), model.layers.end(),
               std::back_inserter(forward),
               [](const FittedLayer &layer) { return !layer.gradient; });
  const std::vector<FittedLayer> *const kinds[] = {&model.layers, &forward};
  const std::vector<int64_t> ascending = sorted(widths);
  std::optional<std::vector<FittedLayer>> found;
  for (const auto *layers : kinds)
    if (!found && sorted(widthsOf(*layers)) == ascending)
      found = *layers;
  for (const auto *layers : kinds)
    if (!found)
      found = ofWidths(*layers, ascending);
  if (!found)
    return fail(file, ": a cost model of another network, \"", model.model,
                "\", whose layers pass messages of ",
                listed(widthsOf(model.layers)), " numbers; here they are of ",
                listed(widths));
  if (!isFitted(model))
    return fail(file, ": all weights are 0: the model has been fitted to no "
                      "timings");
  return std::move(*found);
}
