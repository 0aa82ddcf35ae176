// SPDX-License-Identifier: BSD-3-Clause
#include "lab/machine/process.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fcntl.h>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <string_view>
#include <sys/resource.h>
#include <system_error>
#include <unistd.h>

namespace transrank::lab::machine {
namespace {

struct Descriptor {
    explicit Descriptor(const char* path) : number(open(path, O_RDONLY | O_CLOEXEC)) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number >= 0) {
            close(number);
        }
    }

    int number;
};

}  // namespace

std::string host_name() {
    std::array<char, 256> name{};
    if (gethostname(name.data(), name.size() - 1) != 0) {
        return "unknown";
    }
    return name.data();
}

std::string allowed_cpus() {
    std::ifstream status("/proc/thread-self/status");
    for (std::string line; std::getline(status, line);) {
        constexpr std::string_view label = "Cpus_allowed_list:";
        if (line.starts_with(label)) {
            const auto begin = line.find_first_not_of(" \t", label.size());
            return begin == std::string::npos ? "" : line.substr(begin);
        }
    }
    return "";
}

int current_cpu() {
    return sched_getcpu();
}

std::int64_t involuntary_switches() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
}

std::int64_t nanoseconds_without_core() {
    // Kept open: it is read before and after every sample.
    thread_local const Descriptor schedstat("/proc/thread-self/schedstat");
    std::array<char, 128> text{};
    const auto length = pread(schedstat.number, text.data(), text.size(), 0);
    if (length <= 0) {
        return -1;
    }
    const char* const end = text.data() + length;
    const char* const second = std::find<const char*>(text.data(), end, ' ') + 1;
    std::int64_t waited = -1;
    return second < end && std::from_chars(second, end, waited).ec == std::errc{} ? waited : -1;
}

std::vector<std::int64_t> stolen_ticks() {
    std::ifstream stat("/proc/stat");
    return read_stolen_ticks(stat);
}

std::vector<std::int64_t> read_stolen_ticks(std::istream& stat) {
    std::vector<std::int64_t> stolen;
    std::string line;
    std::getline(stat, line);  // of all CPUs together
    while (std::getline(stat, line) && line.starts_with("cpu")) {
        std::istringstream words(line.substr(3));
        std::size_t cpu = 0;
        std::array<std::int64_t, 8> columns{};  // user nice system idle iowait irq softirq steal
        words >> cpu;
        for (auto& column : columns) {
            words >> column;
        }
        if (!words) {
            return {};
        }
        stolen.resize(std::max(stolen.size(), cpu + 1));
        stolen[cpu] = columns.back();
    }
    return stolen;
}

}  // namespace transrank::lab::machine
