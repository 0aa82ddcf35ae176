// SPDX-License-Identifier: BSD-3-Clause
#include "lab/machine/process.hpp"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <sched.h>
#include <sstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "lab/machine/clock.hpp"
#include "lab/text/sizes.hpp"

using namespace transrank;
using namespace transrank::lab;

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

void bind_to(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<unsigned>(cpu), &set);
    sched_setaffinity(0, sizeof(set), &set);
}

}  // namespace

TEST_CASE("a thread runs on one of the CPUs it may use, and a binding is seen") {
    const int cpu = machine::current_cpu();
    REQUIRE(cpu >= 0);
    CHECK(contains(machine::allowed_cpus(), cpu));
    std::thread([cpu] {
        bind_to(cpu);
        CHECK(machine::allowed_cpus() == std::to_string(cpu));
        CHECK(machine::current_cpu() == cpu);
    }).join();
}

TEST_CASE("a thread that has to share its core is seen to lose it") {
    const int cpu = machine::current_cpu();
    std::atomic<bool> over{false};
    std::thread rival([&] {
        bind_to(cpu);
        while (!over) {
        }
    });
    bool lost = false;
    std::thread([&] {
        bind_to(cpu);
        const auto before = machine::involuntary_switches();
        const double deadline = machine::now() + 10;
        while (!lost && machine::now() < deadline) {
            lost = machine::involuntary_switches() > before;
        }
    }).join();
    over = true;
    rival.join();
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
