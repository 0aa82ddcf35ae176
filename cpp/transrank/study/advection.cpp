// SPDX-License-Identifier: BSD-3-Clause
// Question: what does a halo cost an application? Each rank owns a block of points x points of a
// periodic grid, on which a field is carried along by a constant velocity. Timed are `iterations`
// steps from a common start, by the slowest rank: without communication (`none`, whose result is
// wrong), with each way to update the halo, blocking or overlapped (the points that need no halo
// are computed while it travels; `none` is then the same split computation), and beside them the
// copies of as many bytes as a step must move. Bytes count as memory moves them, 16 for each point
// of a rank: read once and written once. No field is written. Every result but that of `none` is
// checked against the exact solution of the scheme.
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "transrank/measure/payload.hpp"
#include "transrank/memory/copy_kernels.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/study/table.hpp"
#include "transrank/study/upwind/axes.hpp"
#include "transrank/study/upwind/march.hpp"
#include "transrank/study/upwind/wave.hpp"

namespace transrank::study {
namespace {

using namespace upwind;

constexpr std::string_view study_name = "advection";
constexpr std::int64_t bytes_per_point = 16;
// In each direction: far from the limit of stability, so that waves live for many steps.
constexpr double courant = 1.0 / 64;

/// The operations of a group work on one domain.
std::shared_ptr<Domain> shared_domain(const measure::Case& point, const mpi::Communicator& comm) {
    static std::map<std::string, std::weak_ptr<Domain>> known;
    auto domain = known[point.group].lock();
    if (!domain) {
        const auto processes = processes_of(point.text("processes"), comm.size());
        const auto points = point.number("points");
        const auto& signs = point.text("velocity");
        const Courant numbers{.x = courant * sign_of(signs, 0), .y = courant * sign_of(signs, 1)};
        domain = std::make_shared<Domain>(
            comm, processes,
            Extents{.rows = points * processes[0], .columns = points * processes[1]},
            find_scheme(point.text("scheme")).make(numbers));
        known[point.group] = domain;
    }
    return domain;
}

class Steps final : public measure::Operation {
public:
    Steps(const measure::Case& point, std::shared_ptr<Domain> domain, std::unique_ptr<Halo> halo)
        : iterations_(point.number("iterations")),
          domain_(std::move(domain)),
          halo_(std::move(halo)),
          march_(*domain_, halo_.get(),
                 point.text("overlap") == "yes" ? Overlap::split : Overlap::none) {}

    void fill(std::uint64_t stamp) override {
        wave_.emplace(*domain_, stamp).write();
        march_.restart();
    }

    void run(std::int64_t repetitions) override {
        for (std::int64_t i = 0; i < repetitions * iterations_; ++i) {
            march_.step();
        }
    }

    std::uint64_t verify(std::int64_t /*repetitions*/) override {
        return halo_ == nullptr || !wave_ ? 0 : wave_->check(march_.current(), march_.steps());
    }

private:
    std::int64_t iterations_;
    std::shared_ptr<Domain> domain_;
    std::unique_ptr<Halo> halo_;
    March march_;
    std::optional<Wave> wave_;  ///< what fill has written
};

/// Copies as many doubles as the block has points from one array to the other and back.
class Copies final : public measure::Operation {
public:
    Copies(const measure::Case& point, std::shared_ptr<Domain> domain, memory::Copy copy)
        : iterations_(point.number("iterations")), domain_(std::move(domain)), copy_(copy) {}

    void fill(std::uint64_t stamp) override {
        measure::Payload{.source = 0, .target = 0, .stamp = stamp}.write(points_of(0));
        measure::poison(points_of(1));
        stamp_ = stamp;
    }

    void run(std::int64_t repetitions) override {
        for (std::int64_t i = 0; i < repetitions * iterations_; ++i) {
            copy_(points_of(1 - from_).data(), points_of(from_).data(), points_of(0).size());
            from_ = 1 - from_;
        }
    }

    std::uint64_t verify(std::int64_t /*repetitions*/) override {
        for (const int which : {0, 1}) {
            measure::Payload{.source = 0, .target = 0, .stamp = stamp_}.check(points_of(which));
        }
        return 2 * points_of(0).size();
    }

private:
    [[nodiscard]] std::span<std::byte> points_of(int which) const {
        const auto& block = domain_->block();
        return std::as_writable_bytes(domain_->array(which).subspan(
            static_cast<std::size_t>(block.at(0, 0)), static_cast<std::size_t>(block.points())));
    }

    std::int64_t iterations_;
    std::shared_ptr<Domain> domain_;
    memory::Copy copy_;
    int from_ = 0;
    std::uint64_t stamp_ = 0;
};

void library_copy(std::byte* to, const std::byte* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
}

bool is_copy(std::string_view transport) {
    return transport == "memcpy" || transport == "nontemporal";
}

std::vector<AxisChoice> axes() {
    auto axes =
        domain_axes({.name = "scheme", .values = {"first-order"}, .on_request = {"second-order"}});
    axes.push_back({.name = "points",
                    .values = {"50", "100", "200", "1024", "4096"},
                    .on_request = {"1", "16", "256", "400", "512", "800", "2048", "8192"}});
    axes.push_back({.name = "iterations", .values = {"10"}, .on_request = {"1", "100", "1000"}});
    axes.push_back(transports({"none", "memcpy", "nontemporal", "auto"}));
    axes.push_back({.name = "overlap", .values = {"no", "yes"}});
    return axes;
}

std::string reason_to_skip(const measure::Case& point, const Selection& selection, int ranks) {
    if (selection.cache != measure::CacheMode::warm) {
        return "each step finds the caches as the last one left them; leave out --cache";
    }
    const auto& transport = point.text("transport");
    if (transport == "nontemporal" && memory::nontemporal_copy() == nullptr) {
        return "no stores past the caches are known for this processor";
    }
    const auto processes = processes_of(point.text("processes"), ranks);
    const auto points = point.number("points");
    return obstacle({.rows = points * processes[0], .columns = points * processes[1]}, processes,
                    find_scheme(point.text("scheme")).width);
}

measure::Case make_case(const std::vector<std::string>& values, const Selection& selection,
                        int ranks) {
    measure::Case point;
    point.study = study_name;
    point.axes = axes_of(axes(), values, {"points", "iterations"});
    point.group = std::string(study_name);
    for (std::size_t i = 0; i < 4; ++i) {  // what a domain depends on
        point.group += "/" + values[i];
    }
    const auto points = point.number("points");
    point.bytes_counted =
        static_cast<double>(bytes_per_point * points * points * point.number("iterations"));
    point.further_bytes = Domain::bytes(Block(points, points));
    point.skip_reason = reason_to_skip(point, selection, ranks);
    return point;
}

std::vector<measure::Case> cases(const Selection& selection, int ranks) {
    std::vector<measure::Case> points;
    for (const auto& values : combinations(selection, axes())) {
        auto point = make_case(values, selection, ranks);
        if (!is_copy(point.text("transport")) || point.text("overlap") == "no") {
            points.push_back(std::move(point));
        }
    }
    return points;
}

std::unique_ptr<measure::Operation> prepare(const measure::Case& point, const Setting& setting) {
    auto domain = shared_domain(point, setting.comm);
    const auto& transport = point.text("transport");
    if (is_copy(transport)) {
        const auto copy = transport == "memcpy" ? library_copy : memory::nontemporal_copy();
        return std::make_unique<Copies>(point, std::move(domain), copy);
    }
    auto halo = transport == "none" ? nullptr : make_halo(transport, *domain);
    return std::make_unique<Steps>(point, std::move(domain), std::move(halo));
}

}  // namespace

Study advection() {
    return {.name = study_name,
            .summary = "steps of 2-D upwind advection, with and without the halo exchange",
            .sizes = "",
            .axes = axes,
            .fewest_ranks = 1,
            .most_ranks = 0,
            .cases = cases,
            .prepare = prepare};
}

}  // namespace transrank::study
