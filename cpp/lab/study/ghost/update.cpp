// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/ghost/update.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "lab/measure/payload.hpp"
#include "transrank/route/leg.hpp"

namespace transrank::lab::study::ghost {
namespace {

constexpr std::uint64_t iterations_per_stamp = 1U << 20U;

}  // namespace

route::Route make_route(const std::string& pattern, int rank, int ranks, const Block& block) {
    if (pattern == "literal") {
        return literal_ghost_route(rank, ranks, block);
    }
    return pattern == "remote" ? remote_ghost_route(rank, ranks, block)
                               : corrected_ghost_route(rank, ranks, block);
}

std::int64_t rows_received(const route::Route& route) {
    const auto legs = route.receives();
    return std::accumulate(legs.begin(), legs.end(), std::int64_t{0},
                           [](std::int64_t sum, const auto& leg) { return sum + leg.units(); });
}

Update::Update(const measure::Case& point, Arrays arrays, std::unique_ptr<baseline::Mover> mover)
    : vdim_(point.number("vdim")),
      rewrites_(point.text("mode") != "unmodified"),
      reads_(point.text("mode") == "used"),
      arrays_(std::move(arrays)),
      mover_(std::move(mover)) {}

void Update::fill(std::uint64_t stamp) {
    mover_->before_rewriting();
    iteration_ = stamp * iterations_per_stamp;
    rewrite();
    std::ranges::fill(arrays_.destination, -1.0);
}

void Update::prepare() {
    mover_->before_rewriting();
    if (rewrites_) {
        ++iteration_;
        rewrite();
    }
    mover_->after_rewriting();
}

void Update::run(std::int64_t repetitions) {
    for (std::int64_t i = 0; i < repetitions; ++i) {
        mover_->run();
        if (reads_) {
            read_ += sum_of(arrays_.destination);
        }
    }
}

std::uint64_t Update::verify(std::int64_t /*repetitions*/) {
    for (const auto& leg : mover_->route().receives()) {
        route::for_each_run(leg, [&](std::int64_t source, std::int64_t ghost, std::int64_t rows) {
            check(leg.peer, source, ghost, rows);
        });
    }
    return static_cast<std::uint64_t>(rows_received(mover_->route()) * vdim_) * sizeof(double);
}

// A whole number below 2^53 that identifies iteration, owner, row and component.
double Update::first_value(int owner) const {
    constexpr std::uint64_t distinct = std::uint64_t{1} << 53U;
    const auto block = static_cast<std::uint64_t>(mover_->route().source_extent() * vdim_);
    const auto ranks = static_cast<std::uint64_t>(mover_->route().ranks());
    const auto cycle = std::clamp<std::uint64_t>(distinct / (block * ranks), 2, 1021);
    const auto blocks = (iteration_ % cycle * ranks) + static_cast<std::uint64_t>(owner);
    return static_cast<double>(blocks * block);
}

void Update::rewrite() {
    double value = first_value(mover_->route().rank());
    for (double& each : arrays_.source) {
        each = value;
        value += 1;
    }
}

void Update::check(int owner, std::int64_t source_row, std::int64_t ghost_row,
                   std::int64_t rows) const {
    const double first = first_value(owner) + static_cast<double>(source_row * vdim_);
    const double* found = arrays_.destination.data() + (ghost_row * vdim_);
    for (std::int64_t i = 0; i < rows * vdim_; ++i) {
        const double sent = first + static_cast<double>(i);
        if (found[i] != sent) {
            throw measure::WrongPayload(
                "wrong ghost on rank " + std::to_string(mover_->route().rank()) + ": row " +
                std::to_string(ghost_row + (i / vdim_)) + " component " +
                std::to_string(i % vdim_) + " holds " + std::to_string(found[i]) + ", rank " +
                std::to_string(owner) + " sent " + std::to_string(sent));
        }
    }
}

}  // namespace transrank::lab::study::ghost
