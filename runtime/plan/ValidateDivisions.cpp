#include "runtime/plan/Load.h"
#include "runtime/plan/Regions.h"
#include "runtime/plan/Validate.h"

using namespace smex;
using namespace smex::plan;

namespace {

/// lo <= hi, and both in 0 .. limit.
bool isSound(Interval side, int64_t limit) {
  return 0 <= side.lo && side.lo <= side.hi && side.hi <= limit;
}

class DivisionsValidator {
public:
  DivisionsValidator(const Program &program, size_t workers,
                     Complaint &complaint)
      : program(program), workers(workers), complaint(complaint) {}

  void run() {
    ways();
    each("regions", program.regions, &DivisionsValidator::region);
    each("buffers", program.buffers, &DivisionsValidator::buffer);
    each("instructions", program.instructions,
         &DivisionsValidator::instruction);
  }

private:
  template <typename Element>
  void each(const char *list, const std::vector<Element> &elements,
            void (DivisionsValidator::*check)(const Element &)) {
    part = list;
    for (index = 0; index < elements.size() && !complaint; ++index)
      (this->*check)(elements[index]);
  }

  template <typename... Parts>
  void refuse(const std::string &key, Parts &&...parts) {
    complaint.add(part, "[", index, "]", key.empty() ? "" : ".", key, ": ",
                  std::forward<Parts>(parts)...);
  }

  void ways() {
    size_t product = 1;
    for (int64_t each : program.ways)
      if (each < 1 || (product *= size_t(each)) > workers)
        break;
    if (product != workers || program.ways.size() > stepLimit)
      complaint.add("ways: the steps do not make groups of one of ", workers,
                    " GPUs");
    // Whatever it says, a plan must not take all memory there is.
    if (program.regions.size() > (size_t(1) << 24) / workers)
      complaint.add("regions: ", program.regions.size(), " are too many for ",
                    workers, " GPUs");
  }

  void region(const Region &region) {
    if (region.kind == Region::Kind::Divided) {
      if (Status status =
              validate(region.divisions, region.extents.size(), program.ways);
          !status)
        refuse("division", status.error().message);
      return;
    }
    if (region.isListed())
      return;
    const size_t count = program.instructions.size();
    if (region.instruction < 0 || size_t(region.instruction) >= count)
      return refuse("instruction", "there is no instruction ",
                    region.instruction, ", there are ", count);
    const Instruction &compute =
        program.instructions[size_t(region.instruction)];
    if (compute.op != Opcode::Compute)
      return refuse("instruction", "instruction ", region.instruction,
                    " is no compute");
    if (compute.indices < 0 || size_t(compute.indices) >= regions())
      return; // is refused with the instruction
    const Region &indices = program.regions[size_t(compute.indices)];
    if (indices.kind != Region::Kind::Divided && !indices.isListed())
      return refuse("instruction",
                    "its indices are no division and not listed");
    if (region.kind == Region::Kind::Read &&
        (region.operand < 0 ||
         size_t(region.operand) >= compute.operands.size()))
      refuse("operand", "instruction ", region.instruction, " has no operand ",
             region.operand);
  }

  size_t regions() const { return program.regions.size(); }

  const std::vector<int64_t> &shapeOf(int buffer) const {
    const int tensor = program.buffers[size_t(buffer)].tensor;
    return program.tensors[size_t(tensor)].type.shape;
  }

  bool isRegion(const char *key, int region) {
    if (region >= 0 && size_t(region) < regions())
      return true;
    refuse(key, "there is no region ", region, ", there are ", regions());
    return false;
  }

  void buffer(const BufferInfo &buffer) {
    if (!isRegion("region", buffer.region))
      return;
    const Region &region = program.regions[size_t(buffer.region)];
    std::vector<int64_t> of = program.tensors[size_t(buffer.tensor)].type.shape;
    if (region.kind == Region::Kind::Divided)
      of = region.extents;
    else if (!region.isListed()) {
      const Instruction &compute =
          program.instructions[size_t(region.instruction)];
      of = shapeOf(region.kind == Region::Kind::Result
                       ? compute.to
                       : compute.operands[size_t(region.operand)]);
    }
    if (of != program.tensors[size_t(buffer.tensor)].type.shape)
      return refuse("region", "region ", buffer.region,
                    " is not one of a tensor of this shape");
    if (buffer.offsets.size() != 1 && buffer.offsets.size() != workers)
      refuse("offset", buffer.offsets.size(), " offsets for ", workers,
             " GPUs");
  }

  /// That the name is the right one, check() looks at.
  void collective(const Instruction &instruction) {
    const StepSet over = instruction.collective->over;
    if (isMove(instruction.op) || !instruction.pieces.empty() ||
        !instruction.rows.empty())
      refuse("collective", "has a name for pieces that are listed");
    else if (over == 0 || over >> program.ways.size())
      refuse("collective", "is over one step at least, there are ",
             program.ways.size());
  }

  /// That they are those which are needed, checkRows() looks at.
  void rows(const Instruction &instruction) {
    if (instruction.op != Opcode::Fetch)
      refuse("rows", "only a fetch gets rows");
    else if (!instruction.pieces.empty())
      refuse("rows", "are of pieces that follow from a division, and here "
                     "pieces are listed");
    else if (instruction.rows.size() != workers)
      refuse("rows", "of ", instruction.rows.size(), " workers, there are ",
             workers);
    else if (shapeOf(instruction.to).empty())
      refuse("rows", "a scalar has none");
  }

  void instruction(const Instruction &instruction) {
    if (!instruction.rows.empty())
      rows(instruction);
    for (size_t k = 0; k < instruction.waits.size(); ++k) {
      // So the list is an order in which all can be done: no plan deadlocks,
      // and the members of a group come to what they do together alike.
      const Wait wait = instruction.waits[k];
      const std::string key = "waits[" + std::to_string(k) + "]";
      if (wait.instruction < 0 || size_t(wait.instruction) >= index)
        return refuse(key, "instruction ", wait.instruction,
                      " does not come before");
      if (wait.steps >> program.ways.size())
        return refuse(key, "there are ", program.ways.size(), " steps only");
    }
    if (instruction.op == Opcode::Compute)
      return compute(instruction);
    if (instruction.indices != -1)
      return refuse("indices", "only a compute has indices");
    if (instruction.collective)
      collective(instruction);
    if (!instruction.pieces.empty()) {
      if (isMove(instruction.op))
        refuse("pieces", "a move between spaces has none");
      else if (instruction.pieces.size() != workers)
        refuse("pieces", "of ", instruction.pieces.size(),
               " workers, there are ", workers);
      return;
    }
    const BufferInfo &from = program.buffers[size_t(instruction.from)];
    if (isMove(instruction.op)) {
      if (program.buffers[size_t(instruction.to)].region != from.region)
        refuse("from", "buffer ", instruction.from,
               " has another region than buffer ", instruction.to);
      return;
    }
    const Region &region = program.regions[size_t(from.region)];
    const bool isReduce = instruction.op == Opcode::Reduce;
    const bool isKnown =
        isReduce ? hasKnownTerms(region)
                 : isTiled(region) ||
                       (from.partial && region.kind == Region::Kind::Divided);
    if (!isKnown)
      refuse("from", "no division says who has what of buffer ",
             instruction.from, ", so pieces must be listed");
  }

  bool hasKnownTerms(const Region &region) const {
    if (region.kind != Region::Kind::Result)
      return region.kind == Region::Kind::Divided;
    const int indices =
        program.instructions[size_t(region.instruction)].indices;
    return indices >= 0 && size_t(indices) < regions() &&
           isTiled(program.regions[size_t(indices)]);
  }

  void compute(const Instruction &instruction) {
    if (!instruction.pieces.empty())
      return refuse("pieces", "a compute has no pieces");
    if (!isRegion("indices", instruction.indices))
      return;
    const Region &region = program.regions[size_t(instruction.indices)];
    if (region.isListed())
      return;
    std::vector<int64_t> extents = shapeOf(instruction.to);
    extents.insert(extents.end(), instruction.reductions.begin(),
                   instruction.reductions.end());
    if (region.kind != Region::Kind::Divided || region.extents != extents)
      refuse("indices", "region ", instruction.indices,
             " is not one of these index variables");
  }

  const Program &program;
  const size_t workers;
  Complaint &complaint;
  const char *part = "";
  size_t index = 0;
};

} // namespace

void plan::validateDivisions(const Program &program, size_t workers,
                             Complaint &complaint) {
  DivisionsValidator(program, workers, complaint).run();
}

void plan::validateBoxes(const Program &program, size_t workers,
                         Complaint &complaint) {
  for (size_t r = 0; r < program.regions.size(); ++r)
    if (program.regions[r].boxes.size() != workers)
      return complaint.add("regions[", r,
                           "]: ", program.regions[r].boxes.size(),
                           " boxes for ", workers, " GPUs");
  for (size_t b = 0; b < program.buffers.size(); ++b) {
    const BufferInfo &buffer = program.buffers[b];
    const Region &region = program.regions[size_t(buffer.region)];
    const TensorType &type = program.tensors[size_t(buffer.tensor)].type;
    // Others are cut from the tensor.
    for (size_t w = 0; region.isListed() && w < workers; ++w) {
      const Box &box = region.boxes[w];
      if (box.size() != type.shape.size())
        return complaint.add("regions[", buffer.region, "]: GPU ", w, " has ",
                             box.size(), " ranges for a tensor of rank ",
                             type.rank());
      for (size_t d = 0; d < box.size(); ++d)
        if (!isSound(box[d], type.shape[d]))
          return complaint.add("regions[", buffer.region, "]: GPU ", w, " has ",
                               toString(box), ", which is not in ",
                               toString(type));
    }
  }
}
