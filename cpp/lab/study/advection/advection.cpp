// SPDX-License-Identifier: BSD-3-Clause
// Question: what does a halo cost an application? Each rank owns a block of points x points of a
// periodic grid, on which a field is carried along by a constant velocity. Timed are `iterations`
// steps from a common start, by the slowest rank: without communication (`none`, whose result is
// wrong), with each way to update the halo, blocking or overlapped (the points that need no halo
// are computed while it travels; `none` is then the same split computation), and beside them the
// copies of as many bytes as a step must move. Bytes count as memory moves them, 16 for each point
// of a rank: read once and written once. No field is written. Every result but that of `none` is
// checked against the exact solution of the scheme.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "lab/measure/payload.hpp"
#include "lab/study/advection/axes.hpp"
#include "lab/study/advection/march.hpp"
#include "lab/study/advection/wave.hpp"
#include "lab/study/baseline/arrays.hpp"
#include "lab/study/baseline/baseline.hpp"
#include "lab/study/baseline/memory_copies.hpp"
#include "lab/study/table.hpp"
#include "transrank/memory/shared_segment.hpp"
#include "transrank/mpi/agreement.hpp"

namespace transrank::lab::study::advection {
namespace {

constexpr std::string_view study_name = "advection";
constexpr std::int64_t bytes_per_point = 16;
// Of a velocity of 1, far from the limit of stability, so that waves live for many steps.
constexpr double courant = 1.0 / 32;
constexpr std::int64_t most_iterations = 1'000'000;

constexpr std::int64_t page_bytes = 4096;

/// What the operations of a group work on: the domain, and as much memory again for copies.
struct Fields {
    Domain domain;
    memory::SharedSegment second;

    Fields(const mpi::Communicator& comm, const Processes& processes, const Extents& extents,
           const Stencil& stencil)
        : domain(comm, processes, extents, stencil),
          second(static_cast<std::size_t>(Domain::bytes(domain.block()) + page_bytes)) {
        std::ranges::fill(second.bytes(), std::byte{1});  // touches the pages
    }
};

std::shared_ptr<Fields> fields_of(const measure::Case& point, const mpi::Communicator& comm) {
    return shared_by(point.group, [&] {
        const auto processes = processes_of(point.text("processes"), comm.size());
        const auto points = point.number("points");
        const auto velocity = velocity_named(point.text("velocity"));
        const Courant numbers{.x = courant * velocity.u, .y = courant * velocity.v};
        return std::make_shared<Fields>(
            comm, processes,
            Extents{.rows = points * processes[0], .columns = points * processes[1]},
            find_scheme(point.text("scheme")).make(numbers));
    });
}

Overlap overlap_of(const measure::Case& point) {
    return point.text("overlap") == "yes" ? Overlap::split : Overlap::none;
}

class Steps final : public measure::Operation {
public:
    Steps(const measure::Case& point, std::shared_ptr<Fields> fields)
        : iterations_(point.number("iterations")),
          fields_(std::move(fields)),
          halo_(point.text("transport") == "none"
                    ? nullptr
                    : fields_->domain.make_halo(point.text("transport"),
                                                sources_of(overlap_of(point)))),
          march_(fields_->domain, halo_.get(), overlap_of(point)) {}

    void fill(std::uint64_t stamp) override {
        wave_.emplace(fields_->domain, stamp).write();
        march_.restart();
    }

    void run(std::int64_t repetitions) override {
        for (std::int64_t i = 0; i < repetitions * iterations_; ++i) {
            march_.step();
        }
    }

    std::uint64_t verify(std::int64_t /*repetitions*/) override {
        return halo_ == nullptr || !wave_ ? 0 : wave_->check(march_.steps());
    }

private:
    std::int64_t iterations_;
    std::shared_ptr<Fields> fields_;
    std::unique_ptr<baseline::Mover> halo_;
    March march_;
    std::optional<Wave> wave_;  ///< what fill has written
};

/// Copies as many doubles as the block has points from one array to another and back.
class Copies final : public measure::Operation {
public:
    Copies(const measure::Case& point, std::shared_ptr<Fields> fields, copy::Copy copy)
        : iterations_(point.number("iterations")), fields_(std::move(fields)), copy_(copy) {
        const auto& block = fields_->domain.block();
        const auto bytes = static_cast<std::size_t>(block.points()) * sizeof(double);
        const auto begin = static_cast<std::size_t>(block.at(0, 0)) * sizeof(double);
        // Half a page apart: at the same place in a page, loads from one would be taken for loads
        // of what has just been stored into the other.
        ends_ = {std::as_writable_bytes(fields_->domain.field()).subspan(begin, bytes),
                 fields_->second.bytes().subspan(begin + (page_bytes / 2), bytes)};
    }

    void fill(std::uint64_t stamp) override {
        measure::Payload{.source = 0, .target = 0, .stamp = stamp}.write(ends_[0]);
        measure::poison(ends_[1]);
        stamp_ = stamp;
        from_ = 0;
    }

    void run(std::int64_t repetitions) override {
        for (std::int64_t i = 0; i < repetitions * iterations_; ++i) {
            copy_(ends_[1 - from_].data(), ends_[from_].data(), ends_[0].size());
            from_ = 1 - from_;
        }
    }

    std::uint64_t verify(std::int64_t /*repetitions*/) override {
        for (const auto& end : ends_) {
            measure::Payload{.source = 0, .target = 0, .stamp = stamp_}.check(end);
        }
        return 2 * ends_[0].size();
    }

private:
    std::int64_t iterations_;
    std::shared_ptr<Fields> fields_;
    copy::Copy copy_;
    std::array<std::span<std::byte>, 2> ends_;
    std::size_t from_ = 0;
    std::uint64_t stamp_ = 0;
};

bool is_copy(std::string_view transport) {
    return transport == "memcpy" || transport == "nontemporal";
}

std::vector<AxisChoice> axes() {
    auto axes =
        domain_axes({.name = "scheme", .values = {"second-order"}, .on_request = {"first-order"}});
    axes.push_back(points_axis({"50", "100", "200", "1024", "4096"}, 1));
    axes.push_back({.name = "iterations",
                    .values = {"10"},
                    .open = whole_numbers(1, most_iterations),
                    .numbers = true});
    auto ways = transports({"none", "memcpy", "nontemporal", "auto"});
    ways.quick = {"auto", "mpi-messages"};
    axes.push_back(ways);
    axes.push_back({.name = "overlap", .values = {"no", "yes"}, .quick = {"no"}});
    return axes;
}

std::string reason_to_skip(const measure::Case& point, int ranks) {
    const auto& transport = point.text("transport");
    if (auto reason = baseline::reason_against(transport); !reason.empty()) {
        return reason;
    }
    const auto processes = processes_of(point.text("processes"), ranks);
    const auto points = point.number("points");
    return reason_against({.rows = points * processes[0], .columns = points * processes[1]},
                          processes, find_scheme(point.text("scheme")).width);
}

std::vector<measure::Case> cases(const Selection& selection, int ranks) {
    auto points = combinations(study_name, selection, axes());
    std::erase_if(points, [](const measure::Case& point) {
        return is_copy(point.text("transport")) && point.text("overlap") == "yes";
    });
    for (auto& point : points) {
        const auto side = point.number("points");
        // What a domain depends on.
        point.group = std::string(study_name) + "/" + point.text("scheme") + "/" +
                      point.text("processes") + "/" + point.text("velocity") + "/" +
                      std::to_string(side);
        point.bytes_counted =
            static_cast<double>(bytes_per_point * side * side * point.number("iterations"));
        point.further_bytes = 2 * Domain::bytes(Block(side, side));
        point.skip_reason = reason_to_skip(point, ranks);
    }
    return points;
}

std::unique_ptr<measure::Operation> prepare(const measure::Case& point, const Setting& setting) {
    auto fields = fields_of(point, setting.comm);
    const auto& transport = point.text("transport");
    if (is_copy(transport)) {
        const auto copy =
            transport == "memcpy" ? baseline::library_copy() : baseline::nontemporal_copy();
        return std::make_unique<Copies>(point, std::move(fields), copy);
    }
    return std::make_unique<Steps>(point, std::move(fields));
}

}  // namespace

Study study() {
    return {.name = study_name,
            .summary = "time steps of 2-D upwind advection, with and without the halo exchange",
            .axes = axes,
            .cases = cases,
            .prepare = prepare,
            .no_cache_modes = "each step finds the caches as the last one left them"};
}

}  // namespace transrank::lab::study::advection
