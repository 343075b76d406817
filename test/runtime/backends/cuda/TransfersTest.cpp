// Fetches and reductions as the cuda backend hands them to its kernels, whose
// PTX is run by the interpreter of test/emulated: against the CPU's copies and
// sums of boxes (kernels/cpu/Boxes.h), to the bit but for NaN, on random plans.
// Only what is a worker's may change.
#include "runtime/backends/cuda/Transfers.h"

#include "kernels/cpu/Boxes.h"
#include "kernels/cuda/Kernels.h"
#include "test/emulated/ptx/Launch.h"
#include "test/runtime/executor/Programs.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <random>

using namespace smex;
using namespace smex::cuda;

namespace {

const DType types[] = {DType::Bool, DType::I8,  DType::I16,  DType::I32,
                       DType::I64,  DType::U8,  DType::U16,  DType::U32,
                       DType::U64,  DType::F16, DType::BF16, DType::F32,
                       DType::F64};
const char *const reducers[] = {"Sum", "Max", "Min", "Prod"};

/// The kernels of smex-run on a device of the interpreter.
class Device {
public:
  Device()
      : module(text(),
               [this](uint64_t size, uint64_t,
                      const std::string &name) -> ptx::Allocation & {
                 return memory.allocate(size, name);
               }) {}

  void launch(const std::string &kernel, unsigned gridX, unsigned gridY,
              const std::vector<uint8_t> &parameters, uint64_t seed) {
    const ptx::Program *program = module.kernel(kernel);
    REQUIRE(program);
    ptx::LaunchOptions options;
    options.grid = {gridX, gridY, 1};
    // Few threads have more to do than a kernel has on its way at a time.
    options.block = {seed % 2 ? 64u : 32u, 1, 1};
    options.seed = seed;
    ptx::launch(*program, options, parameters, memory);
  }

  ptx::Memory memory;

private:
  static std::string text() {
    return std::string(cudaKernels().front().second); // the only file
  }
  ptx::LoadedModule module;
};

/// A plan of one fetch or reduction of a tensor that workers have random boxes
/// of, and random bytes for it.
class Case {
public:
  Case(uint64_t seed, plan::Opcode op, DType from, DType to,
       const std::string &reducer)
      : random(seed), builder(3) {
    const size_t rank = pick(0, op == plan::Opcode::Fetch ? 8 : 4);
    for (size_t d = 0; d < rank; ++d)
      shape.push_back(pick(1, rank > 5 ? 3 : 5));
    const int tensor = builder.tensor("t", shape, to);
    std::vector<Box> have, want;
    for (int w = 0; w < 3; ++w) {
      have.push_back(within(wholeBox(shape)));
      want.push_back(within(have[0]));
    }
    if (pick(0, 1)) // dense, all of it
      have = {wholeBox(shape), wholeBox(shape), wholeBox(shape)};
    const bool isReduce = op == plan::Opcode::Reduce;
    this->from = builder.buffer(tensor, have, isReduce);
    this->to = builder.buffer(tensor, want);
    if (from != to)
      builder.result.program.buffers[size_t(this->from)].element = from;
    std::vector<std::vector<Piece>> pieces(3);
    for (std::vector<Piece> &own : pieces) {
      const Box &box = want[size_t(&own - pieces.data())];
      own.push_back({0, box}); // so that each element is written
      for (int w : {1, 2}) {
        const Box part = intersect(box, have[size_t(w)]);
        if (isReduce && !isEmpty(part))
          own.push_back({w, part});
      }
    }
    builder.move("move", op, this->from, this->to, pieces, {});
    partitioned().program.instructions[0].reducer = isReduce ? reducer : "";
  }

  plan::Partitioned &partitioned() { return builder.result; }
  const plan::Instruction &what() {
    return partitioned().program.instructions[0];
  }
  const Box &box(int worker, int buffer) {
    return partitioned().box(worker, buffer);
  }

  size_t pick(size_t least, size_t most) {
    return std::uniform_int_distribution<size_t>(least, most)(random);
  }
  /// Numbers whose sums are no longer exact in some types, and NaN.
  std::vector<std::byte> values(DType type, int64_t count) {
    Tensor tensor = makeTensor({type, {count}});
    for (int64_t i = 0; i < count; ++i) {
      std::byte *at = tensor.bytes.data() + i * byteSize(type);
      const double number = int(pick(0, 40)) / 7.0 - 2;
      const bool isNan = pick(0, 30) == 0;
      const float real = isNan ? std::nanf("") : float(number);
      const uint16_t half =
          type == DType::F16 ? floatToHalf(real) : floatToBfloat(real);
      const double wide = real;
      uint64_t bits = type == DType::Bool ? pick(0, 1) : random();
      if (type == DType::F32)
        std::memcpy(at, &real, 4);
      else if (type == DType::F64)
        std::memcpy(at, &wide, 8);
      else if (isFloat(type))
        std::memcpy(at, &half, 2);
      else
        std::memcpy(at, &bits, size_t(byteSize(type)));
    }
    return tensor.bytes;
  }

  int from = 0, to = 0;
  std::vector<int64_t> shape;

private:
  Box within(const Box &whole) {
    Box part = whole;
    for (Interval &side : part) {
      const int64_t lo = int64_t(pick(size_t(side.lo), size_t(side.hi - 1)));
      side = {lo, int64_t(pick(size_t(lo + 1), size_t(side.hi)))};
    }
    return part;
  }

  std::mt19937_64 random;
  runtime::ProgramBuilder builder;
};

/// All NaN as one: a GPU's operations give another one than a CPU's.
std::vector<std::byte> withOneNan(DType type, std::vector<std::byte> bytes) {
  const int64_t size = byteSize(type);
  for (size_t at = 0; at < bytes.size(); at += size_t(size)) {
    double value = 0;
    if (type == DType::F32)
      value = *reinterpret_cast<const float *>(&bytes[at]);
    else if (type == DType::F64)
      value = *reinterpret_cast<const double *>(&bytes[at]);
    else if (type == DType::F16)
      value = halfToFloat(*reinterpret_cast<const uint16_t *>(&bytes[at]));
    else if (type == DType::BF16)
      value = bfloatToFloat(*reinterpret_cast<const uint16_t *>(&bytes[at]));
    if (value != value)
      std::fill_n(bytes.begin() + int64_t(at), size, std::byte(0xff));
  }
  return bytes;
}

void add(std::vector<uint8_t> &parameters, uint64_t value, size_t bytes) {
  parameters.resize((parameters.size() + bytes - 1) / bytes * bytes);
  const auto *first = reinterpret_cast<const uint8_t *>(&value);
  parameters.insert(parameters.end(), first, first + bytes);
}

/// Runs the case on the device and on the CPU.
void compare(uint64_t seed, plan::Opcode op, DType from, DType to,
             const std::string &reducer) {
  CAPTURE(seed, name(from), name(to), reducer);
  Device device;
  Case made(seed, op, from, to, reducer);
  const plan::Partitioned &plan = made.partitioned();
  std::vector<std::vector<std::byte>> have;
  std::vector<uint64_t> sources, results;
  for (int w = 0; w < 3; ++w) {
    have.push_back(made.values(from, volume(made.box(w, made.from))));
    sources.push_back(
        device.memory.allocate(have.back().size(), "source").base);
    device.memory.write(sources.back(), have.back().data(), have.back().size());
    results.push_back(
        device.memory
            .allocate(size_t(volume(made.box(w, made.to)) * byteSize(to)),
                      "result")
            .base);
  }
  const auto addressOf = [&](int worker, int buffer) -> Address {
    return (buffer == made.from ? sources : results)[size_t(worker)];
  };
  const auto put = [&](const void *bytes, size_t count) {
    const uint64_t base = device.memory.allocate(count, "table").base;
    device.memory.write(base, bytes, count);
    return base;
  };
  for (int w = 0; w < 3; ++w) {
    CAPTURE(w);
    const Box &box = made.box(w, made.to);
    const int64_t count = volume(box);
    std::vector<uint8_t> parameters;
    if (op == plan::Opcode::Fetch) {
      const Fetch fetch = fetchOf(plan, w, 0, addressOf);
      add(parameters,
          put(fetch.pieces.data(), fetch.pieces.size() * sizeof(FetchPiece)),
          8);
      device.launch("smex_fetch_" + std::to_string(fetch.unit),
                    unsigned(fetch.pieces.size()), seed % 3 ? fetch.blocks : 1,
                    parameters, seed);
    } else {
      const auto reduce = reduceOf(plan, w, 0, addressOf);
      REQUIRE(reduce);
      add(parameters,
          put(reduce->pieces.data(),
              reduce->pieces.size() * sizeof(ReducePiece)),
          8);
      add(parameters, reduce->pieces.size(), 4);
      add(parameters, uint64_t(reduce->reduction), 4);
      add(parameters, results[size_t(w)], 8);
      add(parameters, put(reduce->sizes, sizeof reduce->sizes), 8);
      device.launch(reduce->kernel, 2, 1, parameters, seed);
    }
    // The first piece brings every element, the others are combined with it.
    std::vector<std::byte> sums(size_t(count * byteSize(from)));
    bool isFirst = true;
    for (const Piece &piece : made.what().pieces[size_t(w)]) {
      const Box &fromBox = made.box(piece.worker, made.from);
      const std::byte *bytes = have[size_t(piece.worker)].data();
      if (isFirst)
        cpu::copyBox(sums.data(), box, bytes, fromBox, piece.box,
                     byteSize(from));
      else
        cpu::combineBox(*cpu::parseReduction(reducer), from, sums.data(), box,
                        bytes, fromBox, piece.box);
      isFirst = false;
    }
    std::vector<std::byte> expected = sums;
    if (from != to) {
      expected.resize(size_t(count * byteSize(to)));
      cpu::roundBox(to, expected.data(), box,
                    reinterpret_cast<const float *>(sums.data()), box);
    }
    std::vector<std::byte> got(expected.size());
    device.memory.read(results[size_t(w)], got.data(), got.size());
    REQUIRE(withOneNan(to, got) == withOneNan(to, expected));
  }
}

} // namespace

TEST_CASE("regions are put together from what workers have") {
  for (uint64_t seed = 0; seed < 120; ++seed) {
    const DType type = types[seed % std::size(types)];
    compare(seed, plan::Opcode::Fetch, type, type, "Sum");
  }
}

TEST_CASE("pieces of very different sizes leave few blocks without work") {
  std::mt19937 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    CAPTURE(trial);
    // Rows of one element up to 2^20, in a plane; a few of them are long.
    std::vector<BoxCopy> copies;
    int64_t elements = 0, useful = 0;
    const int count = 1 + int(random() % 300);
    for (int i = 0; i < count; ++i) {
      const int64_t width = 1 + random() % 40,
                    height = random() % 20 ? 1 : 1 + random() % 30000;
      const Box box = {{0, height}, {0, width}};
      copies.push_back({box,
                        {4096, {{0, height}, {0, width + 3}}},
                        {Address(4096 + 4 * elements), box},
                        4});
      elements += width * height;
      useful += (width * height + transferThreads - 1) / transferThreads;
    }
    const Fetch fetch = fetchOf(copies);
    int64_t covered = 0;
    for (const FetchPiece &piece : fetch.pieces) {
      int64_t units = fetch.unit;
      for (const long long size : piece.sizes)
        units *= size;
      covered += units;
    }
    CHECK(covered == 4 * elements);
    CHECK(int64_t(fetch.pieces.size()) <= 4 * count);
    CHECK(int64_t(fetch.pieces.size()) * fetch.blocks <=
          4 * std::max<int64_t>(std::min<int64_t>(useful, 1024), count));
  }
}

TEST_CASE("pieces are short enough for numbers of 32 bits") {
  for (const Box &box :
       {Box{{0, int64_t(5) << 30}}, Box{{0, 3}, {0, (int64_t(1) << 31) - 1}},
        Box{{0, 70000}, {0, 50001}}}) {
    Box wide = box; // with a gap between rows, where there are several
    wide.back().hi += 1;
    const Fetch fetch = fetchOf({{box, {4097, wide}, {4096, box}, 1}});
    int64_t covered = 0;
    for (const FetchPiece &piece : fetch.pieces) {
      int64_t units = 1;
      for (const long long size : piece.sizes)
        units *= size;
      CHECK(units < int64_t(1) << 31);
      covered += units * fetch.unit;
    }
    CHECK(covered == volume(box));
    CHECK(int64_t(fetch.pieces.size()) * fetch.blocks < 1024);
  }
}

TEST_CASE(
    "terms are combined in their order, in each type and by each reducer") {
  uint64_t seed = 1000;
  for (const DType type : types)
    for (const char *reducer : reducers)
      for (int i = 0; i < 3; ++i)
        compare(seed++, plan::Opcode::Reduce, type, type, reducer);
}

TEST_CASE("sums of 16-bit floats are rounded once, at the end") {
  uint64_t seed = 2000;
  for (const DType type : {DType::F16, DType::BF16})
    for (const char *reducer : {"Sum", "Prod"})
      for (int i = 0; i < 8; ++i)
        compare(seed++, plan::Opcode::Reduce, DType::F32, type, reducer);
}

TEST_CASE("a reduction of too many dimensions is refused") {
  runtime::ProgramBuilder builder(1);
  const int tensor = builder.tensor("t", {2, 3, 2, 3, 2, 3, 2});
  Box part = wholeBox({2, 3, 2, 3, 2, 3, 2});
  for (size_t d = 1; d < part.size(); d += 2)
    part[d].hi = 2;
  const int from =
      builder.buffer(tensor, {wholeBox({2, 3, 2, 3, 2, 3, 2})}, true);
  const int to = builder.buffer(tensor, {part});
  builder.move("sum", plan::Opcode::Reduce, from, to, {{{0, part}}}, {});
  const auto reduce =
      reduceOf(builder.result, 0, 0, [](int, int) -> Address { return 4096; });
  REQUIRE_FALSE(reduce);
  CHECK(reduce.error().message ==
        "a reduction of 7 dimensions; GPUs do 6 at most");
}
