// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>

#include "transrank/copy/instruction_set.hpp"

namespace transrank::lab::study {

/// a[i] = b[i] + scalar * c[i] over `count` elements of arrays that do not overlap: the triad of
/// STREAM (McCalpin, 1995), which counts 24 bytes per element.
using Triad = void (*)(double* a, const double* b, const double* c, double scalar,
                       std::size_t count);

struct TriadKernel {
    copy::InstructionSet instruction_set;
    Triad triad;
};

/// The kernels that this processor can run, the widest last.
[[nodiscard]] std::span<const TriadKernel> triad_kernels();

}  // namespace transrank::lab::study
