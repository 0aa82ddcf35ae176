// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/memory/processor_quota.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <string>
#include <unistd.h>

using transrank::memory::processor_quota;

namespace {

namespace fs = std::filesystem;

/// Control groups in a folder of this test's own.
class Groups {
public:
    Groups() : root_(fs::temp_directory_path() / ("transrank-groups-" + std::to_string(getpid()))) {
        fs::create_directories(root_);
    }
    Groups(const Groups&) = delete;
    Groups& operator=(const Groups&) = delete;
    ~Groups() { fs::remove_all(root_); }

    void write(const fs::path& name, const std::string& text) const {
        fs::create_directories((root_ / name).parent_path());
        std::ofstream(root_ / name) << text << '\n';
    }
    [[nodiscard]] auto quota() const { return processor_quota(root_ / "of_process", root_ / "fs"); }

private:
    fs::path root_;
};

}  // namespace

TEST_CASE("without control groups there is no limit") {
    const Groups groups;
    CHECK(std::isinf(groups.quota().cores));
    groups.write("of_process", "0::/a/b");
    CHECK(std::isinf(groups.quota().cores));
    groups.write("fs/a/b/cpu.max", "max 100000");
    CHECK(std::isinf(groups.quota().cores));
    groups.write("of_process", "no group");
    CHECK(std::isinf(groups.quota().cores));
}

TEST_CASE("the tightest of the groups around a process counts") {
    const Groups groups;
    groups.write("of_process", "0::/a/b");
    groups.write("fs/a/cpu.max", "150000 100000");
    groups.write("fs/a/b/cpu.max", "400000 100000");
    const auto quota = groups.quota();
    CHECK(quota.cores == 1.5);
    groups.write("of_process", "0::/a/other");
    CHECK(groups.quota().inode == quota.inode);
    groups.write("fs/a/other/cpu.max", "50000 100000");
    CHECK(groups.quota().cores == 0.5);
    CHECK(groups.quota().inode != quota.inode);
}

TEST_CASE("groups of version 1 are read beside those of version 2") {
    const Groups groups;
    groups.write("of_process", "4:cpu,cpuacct:/job\n3:memory:/job\n0::/");
    groups.write("fs/cpu,cpuacct/job/cpu.cfs_quota_us", "-1");
    groups.write("fs/cpu,cpuacct/job/cpu.cfs_period_us", "100000");
    CHECK(std::isinf(groups.quota().cores));
    groups.write("fs/cpu,cpuacct/job/cpu.cfs_quota_us", "300000");
    CHECK(groups.quota().cores == 3);
    groups.write("fs/cpu.max", "200000 100000");
    CHECK(groups.quota().cores == 2);
}

TEST_CASE("a container that is not where its path says has the limit at the top") {
    const Groups groups;
    groups.write("of_process", "0::/../../outside");
    groups.write("fs/cpu.max", "200000 100000");
    CHECK(groups.quota().cores == 2);
}
