// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/memory_copy/triad_kernels.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

using namespace transrank;

TEST_CASE("every triad kernel multiplies and adds at each place, for every short length") {
    constexpr std::size_t most = 70;
    constexpr double untouched = -1;
    std::vector<double> b(most);
    std::vector<double> c(most);
    for (std::size_t i = 0; i < most; ++i) {
        b[i] = static_cast<double>((i * 37) + 5);
        c[i] = static_cast<double>((i * i) + 1);
    }
    REQUIRE(lab::study::triad_kernels().size() == copy::supported_instruction_sets().size());
    for (const auto& kernel : lab::study::triad_kernels()) {
        CAPTURE(copy::name(kernel.instruction_set));
        int wrong = 0;
        for (std::size_t count = 0; count < most; ++count) {
            std::vector<double> a(most, untouched);
            kernel.triad(a.data(), b.data(), c.data(), 3, count);
            for (std::size_t i = 0; i < most; ++i) {
                wrong += a[i] == (i < count ? b[i] + (3 * c[i]) : untouched) ? 0 : 1;
            }
        }
        CHECK(wrong == 0);
    }
}
