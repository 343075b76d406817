#include "runtime/executor/Parameters.h"

#include "dialects/support/Text.h"
#include "kernels/cpu/Boxes.h"
#include "runtime/executor/Draw.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

using namespace smex;
using namespace smex::runtime;

namespace {
const TensorType &typeOf(const plan::Program &program, int buffer) {
  return program.tensors[size_t(program.buffers[size_t(buffer)].tensor)].type;
}

/// A worker's stored share of a parameter.
struct Share {
  const std::byte *bytes;
  const Box *box;
};

/// The weight files, by worker and parameter of the partitioned program.
struct Files {
  std::vector<plan::Weights> weights;
  std::vector<std::map<int, Share>> shares; // per worker
};

class Shares : public ParameterSource {
public:
  Shares(const plan::Plan &plan, std::shared_ptr<Files> files, uint64_t seed)
      : program(plan.partitioned), files(std::move(files)), seed(seed) {}

  Status fill(int worker, int number, std::byte *to) const override {
    const plan::Parameter &parameter =
        program.program.parameters[size_t(number)];
    const Box &box = program.box(worker, parameter.buffer);
    const TensorType &type = typeOf(program.program, parameter.buffer);
    if (parameter.drawn) {
      draw(seed, parameter.name, type, parameter.scale, box, to);
      return {};
    }
    const auto share = files->shares[size_t(worker)].find(number);
    if (share == files->shares[size_t(worker)].end())
      return fail("parameter \"", parameter.name, "\" has no stored values");
    std::memcpy(to, share->second.bytes,
                size_t(volume(box) * byteSize(type.dtype)));
    return {};
  }

private:
  const plan::Partitioned &program;
  std::shared_ptr<Files> files;
  uint64_t seed;
};

class Whole : public ParameterSource {
public:
  Whole(const plan::Plan &plan, std::shared_ptr<Files> files, uint64_t seed)
      : plan(plan), files(std::move(files)), seed(seed) {}

  Status fill(int worker, int number, std::byte *to) const override {
    const plan::Program &program = plan.unpartitioned.program;
    const plan::Parameter &parameter = program.parameters[size_t(number)];
    const Box &box = plan.unpartitioned.box(worker, parameter.buffer);
    const TensorType &type = typeOf(program, parameter.buffer);
    if (parameter.drawn) {
      draw(seed, parameter.name, type, parameter.scale, box, to);
      return {};
    }
    const auto &parts = plan.partitioned.program.parameters;
    for (size_t p = 0; p < parts.size(); ++p)
      if (parts[p].name == parameter.name &&
          typeOf(plan.partitioned.program, parts[p].buffer) == type)
        return assemble(int(p), type, box, to);
    return fail(
        "parameter \"", parameter.name,
        "\" of the unpartitioned program is not in the partitioned one");
  }

private:
  Status assemble(int number, const TensorType &type, const Box &box,
                  std::byte *to) const {
    std::vector<Box> missing = {box};
    for (const auto &shares : files->shares) {
      const auto share = shares.find(number);
      if (share == shares.end())
        continue;
      std::vector<Box> rest;
      for (const Box &part : missing) {
        const Box common = intersect(part, *share->second.box);
        if (isEmpty(common)) {
          rest.push_back(part);
          continue;
        }
        cpu::copyBox(to, box, share->second.bytes, *share->second.box, common,
                     byteSize(type.dtype));
        for (Box &left : subtract(part, common))
          rest.push_back(std::move(left));
      }
      missing = std::move(rest);
    }
    if (!missing.empty() && !isEmpty(box))
      return fail("parameter \"",
                  plan.partitioned.program.parameters[size_t(number)].name,
                  "\": no worker stores ", toString(missing.front()));
    return {};
  }

  const plan::Plan &plan;
  std::shared_ptr<Files> files;
  uint64_t seed;
};
/// The parameters that a file has, and the others from elsewhere.
class FromFile : public ParameterSource {
public:
  FromFile(const plan::Partitioned &program,
           std::shared_ptr<const io::Safetensors> file,
           std::unique_ptr<ParameterSource> rest)
      : program(program), file(std::move(file)), rest(std::move(rest)) {}

  Status fill(int worker, int number, std::byte *to) const override {
    const plan::Parameter &parameter =
        program.program.parameters[size_t(number)];
    const auto found = file->header().tensors.find(parameter.name);
    if (found == file->header().tensors.end())
      return rest->fill(worker, number, to);
    const TensorType &type = typeOf(program.program, parameter.buffer);
    if (found->second.type != type)
      return fail(file->path(), ": tensor \"", parameter.name, "\" is ",
                  toString(found->second.type), ", ", toString(type),
                  " expected");
    const Box &box = program.box(worker, parameter.buffer);
    cpu::copyBox(to, box, file->data(found->second), wholeBox(type.shape), box,
                 byteSize(type.dtype));
    if (type.dtype == DType::Bool) // any other byte would be a third value
      std::transform(to, to + volume(box), to, [](std::byte value) {
        return std::byte(value != std::byte(0));
      });
    return {};
  }

private:
  const plan::Partitioned &program;
  std::shared_ptr<const io::Safetensors> file;
  std::unique_ptr<ParameterSource> rest;
};
} // namespace

Status runtime::compareParameters(const io::Safetensors &file,
                                  const plan::Program &program,
                                  bool (*needed)(const plan::Parameter &)) {
  const auto &tensors = file.header().tensors;
  std::set<std::string> known;
  const plan::Parameter *missing = nullptr;
  int others = -1; // that are missing as well
  for (const plan::Parameter &parameter : program.parameters) {
    known.insert(parameter.name);
    const TensorType &type = typeOf(program, parameter.buffer);
    const auto found = tensors.find(parameter.name);
    if (found == tensors.end()) {
      others += needed(parameter);
      if (!missing && needed(parameter))
        missing = &parameter;
    } else if (found->second.type != type) {
      return fail(file.path(), ": tensor \"", parameter.name, "\" is ",
                  toString(found->second.type), ", ", toString(type),
                  " expected");
    }
  }
  if (missing)
    return fail(file.path(), ": tensor \"", missing->name, "\" (",
                toString(typeOf(program, missing->buffer)), ") is missing",
                others ? ", and " + std::to_string(others) + " more" : "");
  for (const auto &tensor : tensors)
    if (!known.count(tensor.first))
      return fail(file.path(), ": tensor \"", printable(tensor.first),
                  "\": the plan has no such parameter");
  return {};
}

void PlanParameters::replace(io::Safetensors file) {
  const auto shared = std::make_shared<const io::Safetensors>(std::move(file));
  partitioned = std::make_unique<FromFile>(plan->partitioned, shared,
                                           std::move(partitioned));
  unpartitioned = std::make_unique<FromFile>(plan->unpartitioned, shared,
                                             std::move(unpartitioned));
}

Result<PlanParameters> PlanParameters::open(const plan::Plan &plan,
                                            const std::string &directory,
                                            uint64_t seed) {
  auto weights = plan::weights(directory, plan.partitioned.workers.size());
  if (!weights)
    return weights.takeError();
  auto files = std::make_shared<Files>();
  files->weights = std::move(*weights);
  const plan::Program &program = plan.partitioned.program;
  for (size_t w = 0; w < plan.partitioned.workers.size(); ++w) {
    const plan::Worker &worker = plan.partitioned.workers[w];
    const plan::Weights &stores = files->weights[w];
    std::map<int, Share> shares;
    for (const plan::StoredWeight &stored : worker.weights) {
      const int buffer = program.parameters[size_t(stored.parameter)].buffer;
      const Box &box = plan.partitioned.box(int(w), buffer);
      const int64_t bytes =
          volume(box) * byteSize(typeOf(program, buffer).dtype);
      if (stored.offset < 0 || bytes > stores.size() ||
          stored.offset > stores.size() - bytes)
        return fail(directory, ": the weight file of worker ", w,
                    " is too short");
      shares[stored.parameter] = {stores.data() + stored.offset, &box};
    }
    files->shares.push_back(std::move(shares));
  }
  PlanParameters parameters(plan);
  parameters.partitioned = std::make_unique<Shares>(plan, files, seed);
  parameters.unpartitioned = std::make_unique<Whole>(plan, files, seed);
  return parameters;
}
