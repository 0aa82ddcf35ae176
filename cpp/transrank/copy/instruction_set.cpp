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
    switch (set) {
        case InstructionSet::portable:
            return "portable";
        case InstructionSet::sse2:
            return "sse2";
        case InstructionSet::avx2:
            return "avx2";
        case InstructionSet::avx512:
            return "avx512";
    }
    return "unknown";
}

std::span<const InstructionSet> supported_instruction_sets() {
    static const auto sets = detect();
    return sets;
}

}  // namespace transrank::copy
