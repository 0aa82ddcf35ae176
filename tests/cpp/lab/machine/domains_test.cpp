// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1
#include "lab/machine/domains.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

using transrank::lab::machine::domain_of;
using transrank::lab::machine::parse_cpu_list;
using transrank::lab::machine::read_domains;

namespace {

/// A tree of sysfs in a folder of its own.
class Tree {
public:
    Tree()
        : root_(std::filesystem::temp_directory_path() /
                ("transrank-domains-" + std::to_string(getpid()))) {}
    Tree(const Tree&) = delete;
    Tree& operator=(const Tree&) = delete;
    ~Tree() { std::filesystem::remove_all(root_); }

    void plant(const std::string& path, const std::string& text) const {
        const auto file = root_ / path;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text << '\n';
    }
    [[nodiscard]] const std::filesystem::path& root() const { return root_; }

private:
    std::filesystem::path root_;
};

}  // namespace

TEST_CASE("lists of the kernel are read, and what is no number is left out") {
    CHECK(parse_cpu_list("0-3,8,10-11") == std::vector{0, 1, 2, 3, 8, 10, 11});
    CHECK(parse_cpu_list("7") == std::vector{7});
    CHECK(parse_cpu_list("").empty());
    CHECK(parse_cpu_list("x,4-y,-2,5") == std::vector{5});
}

TEST_CASE("domains with CPUs are found in order, those of memory alone left out") {
    const Tree tree;
    tree.plant("sys/devices/system/node/node10/cpulist", "4-5");
    tree.plant("sys/devices/system/node/node2/cpulist", "0-3,6");
    tree.plant("sys/devices/system/node/node3/cpulist", "");
    tree.plant("sys/devices/system/node/possible", "0-10");
    tree.plant("sys/devices/system/cpu/cpu4/topology/physical_package_id", "1");
    const auto domains = read_domains(tree.root());
    REQUIRE(domains.size() == 2);
    CHECK(domains[0].number == 2);
    CHECK(domains[0].package == 0);
    CHECK(domains[0].cpus == std::vector{0, 1, 2, 3, 6});
    CHECK(domains[1].number == 10);
    CHECK(domains[1].package == 1);
    CHECK(domain_of("6,0-1", domains) == 2);
    CHECK(domain_of("4", domains) == 10);
    CHECK(domain_of("3-4", domains) == -1);
    CHECK(domain_of("", domains) == -1);
}

TEST_CASE("where sysfs shows no domains, the memory is one") {
    CHECK(read_domains("/nowhere").empty());
    CHECK(domain_of("0-7", {}) == 0);
}
