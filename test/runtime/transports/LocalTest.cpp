// What the transport of one process promises, by calls alone.
#include "runtime/transports/Local.h"

#include <catch2/catch.hpp>

#include <cstring>

using namespace smex;
using namespace smex::runtime;

namespace {

/// Offers, of each worker, a buffer of four bytes: its number, four times.
class Group {
public:
  explicit Group(int workers) : transport(workers, 1) {
    for (int w = 0; w < workers; ++w)
      transport.offer(w, {nullptr, [w](int, const Box &box, std::byte *to) {
                            std::memset(to, w, size_t(volume(box)));
                            return Status();
                          }});
  }

  /// The first bytes of what worker `from` has.
  Status collective(int worker, int instruction, std::vector<int> members,
                    int from, std::vector<std::byte> &to) {
    return transport.collective(
        worker, 0, {instruction, CollectiveKind::AllGather, std::move(members)},
        {{{from, {{0, int64_t(to.size())}}}, to.data()}});
  }

  LocalTransport transport;
};

} // namespace

TEST_CASE("each member of a group gets what it asks for") {
  Group group(4);
  for (int worker : {1, 3}) {
    std::vector<std::byte> got(4);
    REQUIRE(group.collective(worker, 7, {1, 3}, 4 - worker, got));
    CHECK(got == std::vector<std::byte>(4, std::byte(4 - worker)));
  }
}

TEST_CASE("members come to their exchanges in one order") {
  Group group(3);
  std::vector<std::byte> got(1);
  // One may be ahead of the others by several.
  for (int instruction : {2, 5, 6})
    REQUIRE(group.collective(0, instruction, {0, 1}, 1, got));
  // Another group of the same workers has an order of its own.
  REQUIRE(group.collective(1, 3, {0, 1, 2}, 0, got));
  REQUIRE(group.collective(1, 2, {0, 1}, 0, got));
  REQUIRE(group.collective(1, 5, {0, 1}, 0, got));
  const Status wrong = group.collective(1, 8, {0, 1}, 0, got);
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().message ==
        "worker 1 comes to the all-gather of instruction 8, another member of "
        "its group to that of instruction 6");
}

TEST_CASE("who is no member is refused") {
  Group group(2);
  std::vector<std::byte> got(1);
  const Status wrong = group.collective(1, 0, {0}, 0, got);
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().message == "worker 1 is no member of its exchange");
}

TEST_CASE("what a worker cannot give is an error of who asks") {
  LocalTransport transport(2, 1);
  transport.offer(0, {nullptr, [](int, const Box &, std::byte *) {
                        return Status(fail("worker 0 has lost it"));
                      }});
  std::byte to;
  const Status moved = transport.move(1, 0, {{{0, {{0, 1}}}, &to, 1}});
  REQUIRE_FALSE(moved);
  CHECK(moved.error().message == "worker 0 has lost it");
}
