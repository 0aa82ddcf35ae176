// SPDX-License-Identifier: BSD-3-Clause
#include "lab/measure/steal_watch.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "lab/machine/process.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::measure {
namespace {

// One bit per CPU, as many as Linux can be built for.
constexpr std::size_t word_bits = 64;
constexpr std::size_t most_cpus = 8192;
using CpuSet = std::array<std::uint64_t, most_cpus / word_bits>;

void add(CpuSet& cpus, int cpu) {
    const auto number = static_cast<std::size_t>(cpu);
    if (cpu >= 0 && number < most_cpus) {
        cpus.at(number / word_bits) |= std::uint64_t{1} << (number % word_bits);
    }
}

bool contains(const CpuSet& cpus, std::size_t cpu) {
    return cpu < most_cpus && ((cpus.at(cpu / word_bits) >> (cpu % word_bits)) & 1U) != 0;
}

}  // namespace

StealSource system_steal() {
    return {.stolen_ticks = [] { return machine::stolen_ticks(); },
            .current_cpu = machine::current_cpu};
}

StealWatch::StealWatch(const mpi::Communicator& node, StealSource source)
    : node_(node), source_(std::move(source)) {}

void StealWatch::begin() {
    cpu_ = source_.current_cpu();
    if (node_.rank() == 0) {
        before_ = source_.stolen_ticks();
    }
}

bool StealWatch::end() {
    CpuSet own{};
    add(own, cpu_);
    add(own, source_.current_cpu());
    CpuSet used{};
    mpi::check(MPI_Reduce(own.data(), used.data(), static_cast<int>(own.size()), MPI_UINT64_T,
                          MPI_BOR, 0, node_.handle()),
               "MPI_Reduce");
    if (node_.rank() != 0) {
        return false;
    }
    const auto after = source_.stolen_ticks();
    for (std::size_t cpu = 0; cpu < std::min(before_.size(), after.size()); ++cpu) {
        if (after[cpu] != before_[cpu] && contains(used, cpu)) {
            return true;
        }
    }
    return false;
}

}  // namespace transrank::lab::measure
