// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/memory_copy/triad_kernels.hpp"

#include <algorithm>
#include <vector>

namespace transrank::lab::study {
namespace {

// One loop, which the compiler vectorises anew for each target it is inlined into.
[[gnu::always_inline]] inline void triad_loop(double* __restrict__ a, const double* __restrict__ b,
                                              const double* __restrict__ c, double scalar,
                                              std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        a[i] = b[i] + (scalar * c[i]);
    }
}

void triad_portable(double* a, const double* b, const double* c, double scalar, std::size_t count) {
    triad_loop(a, b, c, scalar, count);
}

#ifdef __x86_64__
__attribute__((target("avx2"))) void triad_avx2(double* a, const double* b, const double* c,
                                                double scalar, std::size_t count) {
    triad_loop(a, b, c, scalar, count);
}

__attribute__((target("avx512f"))) void triad_avx512(double* a, const double* b, const double* c,
                                                     double scalar, std::size_t count) {
    triad_loop(a, b, c, scalar, count);
}
#endif

Triad triad_for(copy::InstructionSet set) {
    switch (set) {
#ifdef __x86_64__
        case copy::InstructionSet::avx2:
            return triad_avx2;
        case copy::InstructionSet::avx512:
            return triad_avx512;
#endif
        default:  // sse2 is what x86-64 is compiled for
            return triad_portable;
    }
}

}  // namespace

std::span<const TriadKernel> triad_kernels() {
    static const auto kernels = [] {
        std::vector<TriadKernel> supported;
        for (const auto set : copy::supported_instruction_sets()) {
            supported.push_back({.instruction_set = set, .triad = triad_for(set)});
        }
        return supported;
    }();
    return kernels;
}

}  // namespace transrank::lab::study
