// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <sys/sysinfo.h>
#include <system_error>

#include "groups.hpp"
#include "transrank/memory/array_memory.hpp"
#include "transrank/memory/control_groups.hpp"

using testing::Groups;
using transrank::memory::ArrayMemory;
using transrank::memory::memory_limit;

namespace {

struct Machine {
    std::uint64_t memory = 0;
    std::uint64_t swap = 0;
};

Machine this_machine() {
    struct sysinfo found{};
    REQUIRE(sysinfo(&found) == 0);
    return {.memory = std::uint64_t{found.totalram} * found.mem_unit,
            .swap = std::uint64_t{found.totalswap} * found.mem_unit};
}

std::uint64_t limit(const Groups& groups) {
    return memory_limit(groups.of_process(), groups.file_system());
}

}  // namespace

TEST_CASE("without control groups that limit it, a process can have what the machine has") {
    const auto [memory, swap] = this_machine();
    const Groups groups;
    CHECK(limit(groups) == memory + swap);
    groups.write("of_process", "0::/a");
    groups.write("fs/a/memory.max", "max");
    CHECK(limit(groups) == memory + swap);
    groups.write("fs/a/memory.max", "9223372036854771712");
    CHECK(limit(groups) == memory + swap);
}

TEST_CASE("the tightest of the groups around a process limits its memory") {
    const auto swap = this_machine().swap;
    const Groups groups;
    groups.write("of_process", "0::/a/b");
    groups.write("fs/a/memory.max", "4096");
    groups.write("fs/a/b/memory.max", "8192");
    CHECK(limit(groups) == 4096 + swap);
    groups.write("of_process", "7:cpu,memory:/c\n0::/");
    groups.write("fs/cpu,memory/c/memory.limit_in_bytes", "12288");
    CHECK(limit(groups) == 12288 + swap);
}

TEST_CASE("more memory than a process can ever have is refused, less is not") {
    const auto [memory, swap] = this_machine();
    // Whether the kernel would promise it or not.
    CHECK_THROWS_WITH_AS(ArrayMemory(memory + swap + 1), doctest::Contains("is more than the"),
                         std::system_error);
    CHECK(ArrayMemory(1 << 20).bytes().size() == 1 << 20);
    CHECK(ArrayMemory(0).bytes().data() != nullptr);
}
