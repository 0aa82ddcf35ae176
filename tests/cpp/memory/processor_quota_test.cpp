// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <cmath>

#include "groups.hpp"
#include "transrank/memory/control_groups.hpp"

using testing::Groups;
using transrank::memory::processor_quota;

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

TEST_CASE("the tightest of the groups around a process counts") {
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
