// SPDX-License-Identifier: BSD-3-Clause
// Question: what does it cost to update the ghost rows of a distributed array? Each rank owns a
// block of 32x32x32 rows of `vdim` doubles and receives six faces, 6144 rows. Timed is one update,
// from a barrier, by the slowest rank; bytes count as received per rank. Modes:
//   unmodified  the arrays never change, as in the published benchmark: lines that were read once
//   stay
//               in the reader's cache, which flatters shared memory
//   rewritten   before each update the owner rewrites its block
//   used        the same, and the reader then reads its ghosts, which is timed too
// The transport `floor` gathers the same runs from the rank's own block: what memory alone costs.
#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <string>

#include "transrank/exchange/exchange.hpp"
#include "transrank/measure/payload.hpp"
#include "transrank/memory/shared_segment.hpp"
#include "transrank/study/ghost_pattern.hpp"
#include "transrank/study/table.hpp"
#include "transrank/transport/moves.hpp"
#include "transrank/transport/transport.hpp"

namespace transrank::study {
namespace {

constexpr std::string_view study_name = "ghost";
constexpr std::string_view floor_name = "floor";

/// The arrays of a rank: owned rows and ghost rows.
struct Arrays {
    std::span<double> owned;
    std::span<double> ghosts;
};

std::span<double> doubles(std::span<std::byte> bytes) {
    return {reinterpret_cast<double*>(bytes.data()), bytes.size() / sizeof(double)};
}

/// Arrays that node-mates can map; the operations of a group share one pair.
class SharedArrays {
public:
    explicit SharedArrays(std::int64_t vdim)
        : owned_(static_cast<std::size_t>(block_rows * vdim) * sizeof(double)),
          ghosts_(static_cast<std::size_t>(ghost_rows * vdim) * sizeof(double)) {}

    [[nodiscard]] static std::shared_ptr<SharedArrays> get(std::int64_t vdim) {
        static std::map<std::int64_t, std::weak_ptr<SharedArrays>> known;
        auto arrays = known[vdim].lock();
        if (!arrays) {
            arrays = std::make_shared<SharedArrays>(vdim);
            known[vdim] = arrays;
        }
        return arrays;
    }

    [[nodiscard]] Arrays arrays() const {
        return {.owned = doubles(owned_.bytes()), .ghosts = doubles(ghosts_.bytes())};
    }

private:
    memory::SharedSegment owned_;
    memory::SharedSegment ghosts_;
};

route::Route make_route(const std::string& pattern, int rank, int ranks) {
    if (pattern == "literal") {
        return literal_ghost_route(rank, ranks);
    }
    return pattern == "remote" ? remote_ghost_route(rank, ranks)
                               : corrected_ghost_route(rank, ranks);
}

std::int64_t rows_received(const route::Route& route) {
    const auto legs = route.receives();
    return std::accumulate(legs.begin(), legs.end(), std::int64_t{0},
                           [](std::int64_t sum, const auto& leg) { return sum + leg.units(); });
}

/// What every way of updating has in common: contents, modes, checks.
class GhostUpdate : public measure::Operation {
public:
    GhostUpdate(const measure::Case& point, const Setting& setting, Arrays arrays)
        : rank_(setting.comm.rank()),
          ranks_(setting.comm.size()),
          vdim_(point.number("vdim")),
          rewrites_(point.text("mode") != "unmodified"),
          reads_(point.text("mode") == "used"),
          arrays_(arrays),
          route_(make_route(point.text("pattern"), rank_, ranks_)) {}

    void fill(std::uint64_t stamp) override {
        iteration_ = stamp * iterations_per_stamp;
        rewrite();
        std::ranges::fill(arrays_.ghosts, -1.0);
    }

    void prepare() override {
        if (rewrites_) {
            ++iteration_;
            rewrite();
        }
    }

    void run(std::int64_t repetitions) override {
        for (std::int64_t i = 0; i < repetitions; ++i) {
            update();
            if (reads_) {
                read_ghosts();
            }
        }
    }

    std::uint64_t verify(std::int64_t /*repetitions*/) override {
        for (const auto& leg : expected().receives()) {
            for (const auto& segment : leg.segments) {
                for (std::int64_t i = 0; i < segment.count; ++i) {
                    check(leg.peer, segment.source + (i * segment.source_stride),
                          segment.destination + (i * segment.destination_stride), segment.length);
                }
            }
        }
        return static_cast<std::uint64_t>(rows_received(expected()) * vdim_) * sizeof(double);
    }

protected:
    virtual void update() = 0;
    /// The route by which the ghosts are to be checked.
    [[nodiscard]] virtual const route::Route& expected() const { return route_; }
    [[nodiscard]] const route::Route& route() const { return route_; }
    [[nodiscard]] transport::Field field() const {
        return {.source = std::as_bytes(arrays_.owned).data(),
                .source_bytes = static_cast<std::int64_t>(arrays_.owned.size_bytes()),
                .destination = std::as_writable_bytes(arrays_.ghosts).data(),
                .destination_bytes = static_cast<std::int64_t>(arrays_.ghosts.size_bytes()),
                .unit_bytes = vdim_ * static_cast<std::int64_t>(sizeof(double)),
                .scalar = transport::Scalar::float64};
    }

private:
    static constexpr std::uint64_t iterations_per_stamp = 1U << 20U;

    // A whole number below 2^53 that tells iteration, owner, row and component.
    [[nodiscard]] double first_value(int owner) const {
        const auto block = static_cast<std::uint64_t>(block_rows * vdim_);
        const auto blocks = (iteration_ % 1021 * static_cast<std::uint64_t>(ranks_)) +
                            static_cast<std::uint64_t>(owner);
        return static_cast<double>(blocks * block);
    }

    void rewrite() {
        double value = first_value(rank_);
        for (double& each : arrays_.owned) {
            each = value;
            value += 1;
        }
    }

    void read_ghosts() {
        std::array<double, 8> sums{};
        const double* in = arrays_.ghosts.data();
        for (std::size_t i = 0; i + sums.size() <= arrays_.ghosts.size(); i += sums.size()) {
            for (std::size_t lane = 0; lane < sums.size(); ++lane) {
                sums[lane] += in[i + lane];
            }
        }
        read_ = std::accumulate(sums.begin(), sums.end(), read_);
    }

    void check(int owner, std::int64_t source_row, std::int64_t ghost_row,
               std::int64_t rows) const {
        const double first = first_value(owner) + static_cast<double>(source_row * vdim_);
        const double* found = arrays_.ghosts.data() + (ghost_row * vdim_);
        for (std::int64_t i = 0; i < rows * vdim_; ++i) {
            if (found[i] != first + static_cast<double>(i)) {
                throw measure::WrongPayload("wrong ghost on rank " + std::to_string(rank_) +
                                            ": row " + std::to_string(ghost_row + (i / vdim_)) +
                                            " component " + std::to_string(i % vdim_) + " holds " +
                                            std::to_string(found[i]) + ", rank " +
                                            std::to_string(owner) + " sent " +
                                            std::to_string(first + static_cast<double>(i)));
            }
        }
    }

    int rank_;
    int ranks_;
    std::int64_t vdim_;
    bool rewrites_;
    bool reads_;
    Arrays arrays_;
    route::Route route_;
    std::uint64_t iteration_ = 0;
    double read_ = 0;
};

class Exchanged final : public GhostUpdate {
public:
    Exchanged(const measure::Case& point, const Setting& setting, const std::string& transport,
              Arrays arrays, std::shared_ptr<SharedArrays> owner)
        : GhostUpdate(point, setting, arrays),
          owner_(std::move(owner)),
          exchange_(route(), setting.comm.handle(), {field()},
                    {.operation = transport::Operation::assign,
                     .transport = transport,
                     .push_below_bytes = std::nullopt}) {}

protected:
    void update() override { exchange_.run(); }

private:
    std::shared_ptr<SharedArrays> owner_;
    exchange::Exchange exchange_;
};

/// The local gather of all the rows of the remote pattern, from the rank's own block.
class Floor final : public GhostUpdate {
public:
    Floor(const measure::Case& point, const Setting& setting, Arrays arrays)
        : GhostUpdate(point, setting, arrays), local_(remote_ghost_route(0, 1)) {
        const auto own = field();
        moves_.push_back(transport::make_move(local_.receives().front(), own,
                                              transport::Operation::assign, own.source,
                                              own.destination));
        own_ = relabelled(local_, setting.comm.rank(), setting.comm.size());
    }

protected:
    void update() override { transport::execute(moves_); }
    [[nodiscard]] const route::Route& expected() const override { return *own_; }

private:
    static std::optional<route::Route> relabelled(const route::Route& local, int rank, int ranks) {
        const route::Leg leg{.peer = rank, .segments = local.receives().front().segments};
        return route::Route(rank, ranks, local.source_extent(), local.destination_extent(), {leg},
                            {leg});
    }

    route::Route local_;
    std::optional<route::Route> own_;
    std::vector<transport::Move> moves_;
};

std::vector<AxisChoice> axes() {
    AxisChoice transports{.name = "transport", .values = {std::string(floor_name), "auto"}};
    for (const auto& entry : transport::all()) {
        if (entry.name != "self-copy") {
            transports.values.emplace_back(entry.name);
        }
    }
    return {{.name = "pattern", .values = {"corrected"}, .on_request = {"literal", "remote"}},
            {.name = "vdim",
             .values = {"6", "20", "120"},
             .on_request = {"1",  "2",  "3",  "4",  "5",  "8",  "10",  "12",  "16",  "24",
                            "32", "40", "48", "64", "80", "96", "128", "160", "192", "256"}},
            {.name = "mode", .values = {"unmodified", "rewritten", "used"}},
            transports};
}

std::vector<measure::Case> cases(const Selection& selection, int ranks) {
    std::vector<measure::Case> points;
    const auto choices = axes();
    for (const auto& pattern : values_of(selection, choices[0])) {
        const auto rows = rows_received(make_route(pattern, 0, ranks));
        for (const auto& vdim_text : values_of(selection, choices[1])) {
            const std::int64_t vdim = std::stoll(vdim_text);
            for (const auto& mode : values_of(selection, choices[2])) {
                for (const auto& transport : values_of(selection, choices[3])) {
                    auto& point = points.emplace_back();
                    point.study = study_name;
                    point.axes = {{.name = "pattern", .value = pattern},
                                  {.name = "vdim", .value = vdim},
                                  {.name = "mode", .value = mode},
                                  {.name = "transport", .value = transport}};
                    point.group = "ghost/" + pattern + "/" + vdim_text;
                    point.timing = measure::TimingKind::single;
                    point.bytes_counted = static_cast<double>(rows * vdim) * sizeof(double);
                    point.send_bytes = block_rows * vdim * std::int64_t{sizeof(double)};
                    point.receive_bytes = ghost_rows * vdim * std::int64_t{sizeof(double)};
                    if (selection.cache != measure::CacheMode::warm) {
                        point.skip_reason = "this study has its own modes; leave out --cache";
                    }
                }
            }
        }
    }
    return points;
}

std::unique_ptr<measure::Operation> prepare(const measure::Case& point, const Setting& setting) {
    const auto& transport = point.text("transport");
    const auto vdim = point.number("vdim");
    if (transport == "auto" || transport == "shared-direct") {
        auto shared = SharedArrays::get(vdim);
        return std::make_unique<Exchanged>(point, setting, transport, shared->arrays(), shared);
    }
    const auto send = setting.workspace.send(0, point.send_bytes, point.send_bytes);
    const auto receive = setting.workspace.receive(0, point.receive_bytes, point.receive_bytes);
    const Arrays arrays{.owned = doubles(send), .ghosts = doubles(receive)};
    if (transport == floor_name) {
        return std::make_unique<Floor>(point, setting, arrays);
    }
    return std::make_unique<Exchanged>(point, setting, transport, arrays, nullptr);
}

}  // namespace

Study ghost() {
    return {.name = study_name,
            .summary = "ghost update of 32x32x32 rows per rank (ArrayTransformer)",
            .sizes = "",
            .axes = axes,
            .fewest_ranks = 1,
            .most_ranks = 0,
            .cases = cases,
            .prepare = prepare};
}

}  // namespace transrank::study
