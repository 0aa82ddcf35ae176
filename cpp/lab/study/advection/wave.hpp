// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "lab/study/advection/domain.hpp"

namespace transrank::lab::study::advection {

/// A field by which a computation can be checked to round-off after any number of steps: a constant
/// and one period of a sine across the torus, which is an eigenvector of every stencil.
class Wave {
public:
    /// The phase depends on `stamp`, so that what an earlier fill has left cannot pass.
    Wave(const Domain& domain, std::uint64_t stamp);

    /// Writes the field, and what no wave contains into everything else.
    void write() const;

    /// Compares the field after `steps` steps; throws measure::WrongPayload that names rank, place
    /// and values. Returns the bytes compared.
    std::uint64_t check(std::int64_t steps) const;

private:
    template <class Use>
    void for_each(std::int64_t steps, const Use& use) const;

    const Domain& domain_;
    double phase_;
};

}  // namespace transrank::lab::study::advection
