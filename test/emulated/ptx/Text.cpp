#include "test/emulated/ptx/Text.h"

#include <algorithm>
#include <deque>

namespace smex::ptx {
namespace {

/// Texts that were asked for last, the latest first: that of a plan and the
/// runtime's own, before a run and after it.
constexpr size_t keptTexts = 4;

using Entry = std::pair<std::string, std::shared_ptr<Text>>;

} // namespace

std::shared_ptr<Text> Text::of(const std::string &source) {
  static std::mutex mutex;
  static std::deque<Entry> kept;
  std::lock_guard<std::mutex> lock(mutex);
  auto found = std::find_if(kept.begin(), kept.end(), [&](const Entry &each) {
    return each.first == source;
  });
  if (found == kept.end()) {
    kept.emplace_front(source, std::make_shared<Text>(source));
    if (kept.size() > keptTexts)
      kept.pop_back();
  } else {
    std::rotate(kept.begin(), found, found + 1);
  }
  return kept.front().second;
}

const Function *Text::entry(const std::string &name) const {
  const Function *function = module.function(name);
  return function && function->isEntry && !function->isDeclaration ? function
                                                                   : nullptr;
}

const Program *Text::kernel(const std::string &name) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = kernels.find(name);
  if (found != kernels.end())
    return found->second.get();
  const Function *function = entry(name);
  if (!function)
    return nullptr;
  std::unique_ptr<Program> program = decode(module, *function);
  for (const auto &code : program->functions)
    if (!code->symbols.empty())
      throw ParseError(function->line,
                       "no address for '" + code->symbols.front().second + "'");
  return (kernels[name] = std::move(program)).get();
}

} // namespace smex::ptx
