#include "test/emulated/cudnn/Objects.h"

#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace smex::emulated::cudnn {
namespace {

std::mutex mutex;
std::map<void *, std::unique_ptr<Object>> &objects() {
  static std::map<void *, std::unique_ptr<Object>> all;
  return all;
}
thread_local std::string last;

} // namespace

void add(Object *object) {
  const std::lock_guard<std::mutex> lock(mutex);
  objects()[object].reset(object);
}

bool remove(void *pointer, Object::Kind kind) {
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = objects().find(pointer);
  if (found == objects().end() || found->second->kind != kind)
    return false;
  objects().erase(found);
  return true;
}

Object *find(void *pointer, Object::Kind kind, const char *what) {
  if (!pointer)
    refuse(BAD_PARAM, std::string(what) + " is null", cites::nullObject);
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = objects().find(pointer);
  if (found == objects().end() || found->second->kind != kind)
    refuse(BAD_PARAM,
           std::string(what) + " was not created, or has been destroyed",
           cites::dead);
  return found->second.get();
}

static std::string listOf(const std::vector<int64_t> &numbers) {
  std::string text;
  for (int64_t each : numbers)
    text += (text.empty() ? "" : ",") + std::to_string(each);
  return text;
}

std::optional<std::string> textOf(void *pointer) {
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = objects().find(pointer);
  if (found == objects().end())
    return std::nullopt;
  if (const auto *tensor = dynamic_cast<const Tensor *>(found->second.get())) {
    if (!tensor->isSet)
      return std::nullopt;
    return std::to_string(tensor->type) + ";" + listOf(tensor->sizes) + ";" +
           (tensor->kind == Object::Kind::Filter
                ? std::to_string(tensor->format)
                : listOf(tensor->strides));
  }
  const auto *own = dynamic_cast<const Convolution *>(found->second.get());
  if (!own || !own->isSet)
    return std::nullopt;
  return listOf(own->pads) + ";" + listOf(own->strides) + ";" +
         listOf(own->dilations) + ";" + std::to_string(own->mode) + ";" +
         std::to_string(own->computeType) + ";" +
         std::to_string(own->mathType) + ";" + std::to_string(own->groups);
}

bool isHandle(void *pointer) {
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = objects().find(pointer);
  return found != objects().end() &&
         found->second->kind == Object::Kind::Handle;
}

const DriverCalls *driver() { return DriverCalls::get(); }

int failureOf(const char *function) {
  return driver() ? driver()->call(function) : 0;
}

void keepError(const char *function, const Refusal &refusal) {
  last = refusal.text;
  if (driver())
    driver()->report(
        (std::string("cuDNN: ") + function + ": " + refusal.text).c_str());
}

std::string lastError() { return std::exchange(last, std::string()); }

uint64_t setting(const char *name, uint64_t otherwise) {
  const char *text = std::getenv(name);
  return text && *text ? std::strtoull(text, nullptr, 0) : otherwise;
}

} // namespace smex::emulated::cudnn
