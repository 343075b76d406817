#include "runtime/transports/mpi/Status.h"

#include <cstring>

using namespace smex;

std::vector<std::byte> mpi::encode(const Status &status) {
  if (status)
    return {};
  const Error &error = status.error();
  const auto fault = int32_t(error.fault);
  std::vector<std::byte> bytes(sizeof fault + error.message.size());
  std::memcpy(bytes.data(), &fault, sizeof fault);
  std::memcpy(bytes.data() + sizeof fault, error.message.data(),
              error.message.size());
  return bytes;
}

Status mpi::decode(const std::vector<std::byte> &bytes) {
  int32_t fault = 0;
  if (bytes.size() < sizeof fault)
    return {};
  std::memcpy(&fault, bytes.data(), sizeof fault);
  const auto *text =
      reinterpret_cast<const char *>(bytes.data()) + sizeof fault;
  return Error{std::string(text, bytes.size() - sizeof fault), Fault(fault)};
}

Status mpi::merge(const std::vector<Status> &each) {
  struct Group {
    const Error *error;
    std::string ranks;
    size_t count = 0;
  };
  std::vector<Group> groups;
  const Error *wordless = nullptr;
  for (size_t rank = 0; rank < each.size(); ++rank) {
    if (each[rank])
      continue;
    const Error &error = each[rank].error();
    if (error.message.empty()) {
      wordless = &error;
      continue;
    }
    Group *group = nullptr;
    for (Group &known : groups)
      if (known.error->message == error.message)
        group = &known;
    if (!group)
      group = &groups.emplace_back(Group{&error, "", 0});
    group->ranks += (group->count++ ? ", " : "") + std::to_string(rank);
  }
  if (groups.empty())
    return wordless ? Status(*wordless) : Status();
  if (groups.size() == 1 && groups[0].count == each.size())
    return *groups[0].error;
  Error all{"", groups[0].error->fault};
  for (const Group &group : groups)
    all.message += (all.message.empty() ? "" : "\n") +
                   std::string(group.count > 1 ? "ranks " : "rank ") +
                   group.ranks + ": " + group.error->message;
  return all;
}
