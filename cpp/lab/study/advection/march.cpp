// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/advection/march.hpp"

namespace transrank::lab::study::advection {
namespace {

struct Split {
    layout::IndexRange inner;
    layout::IndexRange edge;  ///< reads ghosts
};

Split split(std::int64_t extent, std::int64_t width, bool from_low) {
    return from_low ? Split{.inner = {width, extent}, .edge = {0, width}}
                    : Split{.inner = {0, extent - width}, .edge = {extent - width, extent}};
}

}  // namespace

March::March(const Domain& domain, baseline::Mover* halo, Overlap overlap)
    : domain_(domain), halo_(halo) {
    const auto& block = domain.block();
    const auto& stencil = domain.stencil();
    if (overlap == Overlap::none) {
        after_.push_back(whole(block));
        return;
    }
    const auto rows = split(block.rows(), stencil.width, stencil.from_low_rows);
    const auto columns = split(block.columns(), stencil.width, stencil.from_low_columns);
    before_.push_back({.rows = rows.inner, .columns = columns.inner});
    // The rows at the edge are read by the columns there.
    after_.push_back({.rows = rows.inner, .columns = columns.edge});
    after_.push_back({.rows = rows.edge, .columns = {0, block.columns()}});
    for (const auto& copy : domain.copies()) {
        copies_.push_back(copy::in_bytes(copy, sizeof(double)));
    }
}

void March::step() {
    double* field = domain_.field().data();
    auto* bytes = reinterpret_cast<std::byte*>(field);
    for (const auto& copy : copies_) {
        copy::copy_runs(copy, bytes, bytes);
    }
    if (halo_ != nullptr) {
        halo_->start();
    }
    for (const auto& region : before_) {
        domain_.sweep()(field, region);
    }
    if (halo_ != nullptr) {
        halo_->finish();
    }
    for (const auto& region : after_) {
        domain_.sweep()(field, region);
    }
    ++steps_;
}

void March::restart() noexcept {
    steps_ = 0;
}

}  // namespace transrank::lab::study::advection
