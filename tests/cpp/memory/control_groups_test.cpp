// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/memory/control_groups.hpp"

#include <sys/sysinfo.h>
#include <system_error>

#include "testing.hpp"
#include "transrank/memory/array_memory.hpp"

using transrank::memory::ArrayMemory;
using transrank::memory::memory_limit;
using transrank::memory::processor_quota;

namespace {

/// Control groups as they are told of.
struct Groups : testing::Folder {
    [[nodiscard]] std::filesystem::path of_process() const { return path / "of_process"; }
    [[nodiscard]] std::filesystem::path file_system() const { return path / "fs"; }
};

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

namespace {

auto quota(const Groups& groups) {
    return processor_quota(groups.of_process(), groups.file_system());
}

}  // namespace

TEST_CASE("without control groups there is no limit") {
    const Groups groups;
    CHECK(std::isinf(quota(groups).cores));
    groups.write("of_process", "0::/a/b");
    CHECK(std::isinf(quota(groups).cores));
    groups.write("fs/a/b/cpu.max", "max 100000");
    CHECK(std::isinf(quota(groups).cores));
    groups.write("of_process", "no group");
    CHECK(std::isinf(quota(groups).cores));
}

TEST_CASE("the tightest of the groups around a process limits its cores") {
    const Groups groups;
    groups.write("of_process", "0::/a/b");
    groups.write("fs/a/cpu.max", "150000 100000");
    groups.write("fs/a/b/cpu.max", "400000 100000");
    const auto tightest = quota(groups);
    CHECK(tightest.cores == 1.5);
    groups.write("of_process", "0::/a/other");
    CHECK(quota(groups).inode == tightest.inode);
    groups.write("fs/a/other/cpu.max", "50000 100000");
    CHECK(quota(groups).cores == 0.5);
    CHECK(quota(groups).inode != tightest.inode);
}

TEST_CASE("groups of version 1 are read beside those of version 2") {
    const Groups groups;
    groups.write("of_process", "4:cpu,cpuacct:/job\n3:memory:/job\n0::/");
    groups.write("fs/cpu,cpuacct/job/cpu.cfs_quota_us", "-1");
    groups.write("fs/cpu,cpuacct/job/cpu.cfs_period_us", "100000");
    CHECK(std::isinf(quota(groups).cores));
    groups.write("fs/cpu,cpuacct/job/cpu.cfs_quota_us", "300000");
    CHECK(quota(groups).cores == 3);
    groups.write("fs/cpu.max", "200000 100000");
    CHECK(quota(groups).cores == 2);
}

TEST_CASE("a container that is not where its path says has the limit at the top") {
    const Groups groups;
    groups.write("of_process", "0::/../../outside");
    groups.write("fs/cpu.max", "200000 100000");
    CHECK(quota(groups).cores == 2);
}
