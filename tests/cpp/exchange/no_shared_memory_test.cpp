// SPDX-License-Identifier: BSD-3-Clause
// ranks: 2 3 4
// The last rank can make no shared memory at all, as where a container forbids memfd_create: its
// peers reach it by messages, and each other as ever.
#include <cerrno>
#include <sys/syscall.h>

#include "scenario.hpp"
#include "world.hpp"

using namespace testing;

extern "C" int memfd_create(const char* name, unsigned flags) {
    if (world_rank() == world_size() - 1) {
        errno = EPERM;
        return -1;
    }
    return static_cast<int>(syscall(SYS_memfd_create, name, flags));
}

TEST_CASE("an array is private where there is no shared memory") {
    const transrank::memory::ArrayMemory array(5000);
    CHECK(array.is_shared() == (world_rank() != world_size() - 1));
    CHECK(array.bytes().size() == 5000);
    CHECK(std::ranges::all_of(array.bytes(), [](std::byte each) { return each == std::byte{}; }));
}

TEST_CASE("a rank without shared memory is served by messages") {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        const auto scenario = random_scenario(seed, world_size());
        Arrays arrays(scenario, world_rank());
        Options options;
        options.operation = scenario.operation;
        Exchange exchange(scenario.pattern.route(world_rank()), all_ranks, arrays.fields(),
                          options);
        for (int epoch = 0; epoch < 3; ++epoch) {
            arrays.fill(epoch);
            exchange.run();
            CHECK(arrays.difference(epoch) == "");
        }
        if (scenario.pattern.legs.contains({world_rank(), world_size() - 1}) &&
            world_rank() < world_size() - 1) {
            CHECK(exchange.explain().find("message") != std::string::npos);
            CHECK(exchange.explain().find("it could not allocate shared memory") !=
                  std::string::npos);
        }
    }
}
