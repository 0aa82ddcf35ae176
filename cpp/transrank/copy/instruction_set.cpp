// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/copy/instruction_set.hpp"

#include <vector>

namespace transrank::copy {
namespace {

std::vector<InstructionSet> detect() {
    std::vector<InstructionSet> sets{InstructionSet::portable};
#ifdef __x86_64__
    sets.push_back(InstructionSet::sse2);
    __builtin_cpu_init();
    if (static_cast<bool>(__builtin_cpu_supports("avx2"))) {
        sets.push_back(InstructionSet::avx2);
    }
    if (static_cast<bool>(__builtin_cpu_supports("avx512f"))) {
        sets.push_back(InstructionSet::avx512);
    }
#endif
    return sets;
}

}  // namespace

std::string_view name(InstructionSet set) {
    static constexpr std::array names{"portable", "sse2", "avx2", "avx512"};
    return names.at(static_cast<std::size_t>(set));
}

std::span<const InstructionSet> supported_instruction_sets() {
    static const auto sets = detect();
    return sets;
}

}  // namespace transrank::copy
