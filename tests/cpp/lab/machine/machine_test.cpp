// SPDX-License-Identifier: BSD-3-Clause
#include <ctime>

#include "../measure/rival.hpp"
#include "lab/machine/clock.hpp"
#include "lab/machine/domains.hpp"
#include "lab/machine/process.hpp"
#include "lab/text/sizes.hpp"

using namespace transrank;
using namespace transrank::lab;
using transrank::lab::machine::domain_of;
using transrank::lab::machine::parse_cpu_list;
using transrank::lab::machine::read_domains;

TEST_CASE("the clock's resolution and cost are positive and far below a sample") {
    const auto quality = machine::measure_clock();
    CHECK(quality.resolution_seconds > 0);
    CHECK(quality.resolution_seconds < 1e-3);
    CHECK(quality.cost_seconds > 0);
    CHECK(quality.cost_seconds < 1e-3);
}

TEST_CASE("the time since the epoch is the system's") {
    const auto system =
        std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    CHECK(machine::epoch_now() > system - 1e-3);
    CHECK(machine::epoch_now() - system < 60);
}

TEST_CASE("date and time read back as the same moment") {
    const double before = machine::epoch_now();
    const std::string text = machine::utc_now();
    std::tm parts{};
    const char* rest = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
    REQUIRE(rest != nullptr);
    CHECK(std::string(rest) == "+00:00");
    const auto read = static_cast<double>(timegm(&parts));
    CHECK(read > before - 2);
    CHECK(read <= machine::epoch_now());
}

namespace {

bool contains(const std::string& cpu_list, int cpu) {
    for (const auto& item : text::split_list(cpu_list)) {
        const auto dash = item.find('-');
        const int first = std::stoi(item);
        const int last = dash == std::string::npos ? first : std::stoi(item.substr(dash + 1));
        if (first <= cpu && cpu <= last) {
            return true;
        }
    }
    return false;
}

}  // namespace

TEST_CASE("a thread runs on one of the CPUs it may use, and a binding is seen") {
    const int cpu = machine::current_cpu();
    REQUIRE(cpu >= 0);
    CHECK(contains(machine::allowed_cpus(), cpu));
    std::thread([cpu] {
        const lab::test::Bound bound(cpu);
        CHECK(machine::allowed_cpus() == std::to_string(cpu));
        CHECK(machine::current_cpu() == cpu);
    }).join();
}

TEST_CASE("a thread that has to share its core is seen to lose it") {
    bool lost = false;
    lab::test::beside_rival([&] {
        const auto before = machine::involuntary_switches();
        const double deadline = machine::now() + 10;
        while (!lost && machine::now() < deadline) {
            lost = machine::involuntary_switches() > before;
        }
    });
    CHECK(lost);
}

TEST_CASE("the host's name is the system's") {
    std::array<char, 256> name{};
    REQUIRE(gethostname(name.data(), name.size() - 1) == 0);
    CHECK(machine::host_name() == name.data());
}

TEST_CASE("stolen time is told per CPU, and never goes back") {
    const auto before = machine::stolen_ticks();
    const auto after = machine::stolen_ticks();
    REQUIRE(after.size() == before.size());
    CHECK(after.size() > static_cast<std::size_t>(machine::current_cpu()));
    for (std::size_t cpu = 0; cpu < after.size(); ++cpu) {
        CHECK(after[cpu] >= before[cpu]);
    }
}

TEST_CASE("the eighth column of a CPU's own line is what was stolen from it") {
    const auto read = [](const std::string& text) {
        std::istringstream stat(text);
        return machine::read_stolen_ticks(stat);
    };
    using Ticks = std::vector<std::int64_t>;
    CHECK(read("cpu  1 2 3 4 5 6 7 99 0 0\ncpu0 1 2 3 4 5 6 7 40 0 0\n"
               "cpu2 1 2 3 4 5 6 7 59 0 0\nintr 1 2 3\ncpu7 1 1 1 1 1 1 1 1\n") ==
          Ticks{40, 0, 59});
    CHECK(read("cpu  1 2 3 4\ncpu0 1 2 3 4\n").empty());  // a kernel that does not count it
    CHECK(read("").empty());
}

TEST_CASE("lists of the kernel are read, and what is no number is left out") {
    CHECK(parse_cpu_list("0-3,8,10-11") == std::vector{0, 1, 2, 3, 8, 10, 11});
    CHECK(parse_cpu_list("7") == std::vector{7});
    CHECK(parse_cpu_list("").empty());
    CHECK(parse_cpu_list("x,4-y,-2,5") == std::vector{5});
}

TEST_CASE("domains with CPUs are found in order, those of memory alone left out") {
    const testing::Folder tree;
    tree.write("sys/devices/system/node/node10/cpulist", "4-5");
    tree.write("sys/devices/system/node/node2/cpulist", "0-3,6");
    tree.write("sys/devices/system/node/node3/cpulist", "");
    tree.write("sys/devices/system/node/possible", "0-10");
    tree.write("sys/devices/system/cpu/cpu4/topology/physical_package_id", "1");
    const auto domains = read_domains(tree.path);
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
