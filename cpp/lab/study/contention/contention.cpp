// SPDX-License-Identifier: BSD-3-Clause
// Question: what do messages between two nodes cost those that share a link with them? The ranks
// are domains of `domain_ranks` each, rank k = domain_ranks x domain + position, the second half of
// the domains on the other node. In a pair of domains each rank exchanges messages with the one at
// its position of the other domain; every other rank sends to itself, which keeps its memory busy.
// Every rank posts an MPI_Isend, untimed, and times its MPI_Recv, ten times in a row; the number is
// one receive. `traffic` names the active pairs: none (the control, measured before the
// others in each round), any two domains of a node, on both nodes at once (inside: the bandwidth
// there is on the way to a link), each corresponding pair by itself, all of them at once (the
// bisection), any two domains (matrix), or those named.
// Source: Good Practice Guide, Preparing for HECToR Phase IIb (24-core), appendix, figures 4 and 5.
#include <set>

#include "lab/machine/clock.hpp"
#include "lab/study/contention/pairs.hpp"
#include "lab/study/point_to_point/message.hpp"
#include "lab/study/table.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study::contention {
namespace {

constexpr std::string_view study_name = "contention";
// The source's. Where it does not fit the memory, the largest power of two that does.
constexpr std::string_view default_sizes = "512MiB";
constexpr std::int64_t least_scaled_bytes = std::int64_t{1} << 20U;
constexpr int tag = 17;
constexpr std::int64_t most_domain_ranks = 1 << 20;
constexpr int exchanges_in_a_row = 10;

class Contention final : public MessageOperation {
public:
    Contention(const measure::Case& point, const Setting& setting, int partner)
        : MessageOperation(point, setting, partner, partner) {}

    void run(std::int64_t repetitions) override {
        seconds_ = 0;
        for (std::int64_t i = 0; i < repetitions * exchanges_in_a_row; ++i) {
            exchange(i / exchanges_in_a_row);
        }
    }

    [[nodiscard]] double own_seconds() const override { return seconds_; }

private:
    void exchange(std::int64_t slot) {
        MPI_Request request = MPI_REQUEST_NULL;
        mpi::check(MPI_Isend(send(slot), bytes(), MPI_BYTE, target(), tag, comm(), &request),
                   "MPI_Isend");
        const double begin = machine::now();
        mpi::check(
            MPI_Recv(receive(slot), bytes(), MPI_BYTE, source(), tag, comm(), MPI_STATUS_IGNORE),
            "MPI_Recv");
        seconds_ += machine::now() - begin;
        mpi::check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
    }

    double seconds_ = 0;
};

std::vector<AxisChoice> axes() {
    return {{.name = "domain_ranks", .values = {"1"}, .open = whole_numbers(1, most_domain_ranks)},
            {.name = "traffic",
             .values = {"none", "inside", "each", "all"},
             .on_request = {"matrix"},
             .open = OpenValues{.form = "A-B+C-D", .contain = are_pairs}}};
}

std::string reason_to_skip(const Pairs& pairs, bool halves, int ranks, int domain_ranks) {
    if (ranks % domain_ranks != 0) {
        return std::to_string(ranks) + " ranks are no whole number of domains of " +
               std::to_string(domain_ranks);
    }
    if (halves && (ranks / domain_ranks) % 2 != 0) {
        return std::to_string(ranks / domain_ranks) + " domains have no two halves";
    }
    return reason_against(pairs, ranks / domain_ranks);
}

std::vector<std::int64_t> scaled_sizes(const Selection& selection) {
    auto sizes = sizes_of(selection, default_sizes);
    if (!selection.sizes.empty() || selection.memory_bytes <= 0) {
        return sizes;
    }
    const auto fits = [&](std::int64_t bytes) {
        return measure::Workspace::footprint(bytes, bytes, selection.cache) <=
               selection.memory_bytes;
    };
    for (auto& bytes : sizes) {
        while (bytes > least_scaled_bytes && !fits(bytes)) {
            bytes /= 2;
        }
    }
    return sizes;
}

measure::Case make_case(const std::string& traffic, const Pairs& pairs, int ranks, int domain_ranks,
                        std::int64_t bytes) {
    const bool halves = traffic == "inside" || traffic == "each" || traffic == "all";
    measure::Case point;
    point.study = study_name;
    point.axes = {{.name = "domain_ranks", .value = std::int64_t{domain_ranks}},
                  {.name = "traffic", .value = format_pairs(pairs)},
                  {.name = "bytes", .value = bytes}};
    point.group = study_name;
    point.control = pairs.empty();
    point.timing = measure::TimingKind::own;
    point.operations_per_repetition = exchanges_in_a_row;
    point.bytes_counted = static_cast<double>(bytes);
    point.send_bytes = bytes;
    point.receive_bytes = bytes;
    point.skip_reason = reason_against_message(bytes);
    if (point.skip_reason.empty()) {
        point.skip_reason = reason_to_skip(pairs, halves, ranks, domain_ranks);
    }
    return point;
}

std::vector<measure::Case> cases(const Selection& selection, int ranks) {
    const auto choices = axes();
    const auto sizes = scaled_sizes(selection);
    std::set<std::string> listed;
    std::vector<measure::Case> points;
    for (const auto& domain_ranks_text : values_of(selection, choices[0])) {
        const int domain_ranks = std::stoi(domain_ranks_text);
        for (const auto& traffic : values_of(selection, choices[1])) {
            for (const auto& pairs : expand(traffic, ranks / domain_ranks)) {
                for (const auto bytes : sizes) {
                    auto point = make_case(traffic, pairs, ranks, domain_ranks, bytes);
                    if (listed.insert(point.id()).second) {  // `matrix` and `each` share pairs
                        points.push_back(std::move(point));
                    }
                }
            }
        }
    }
    return points;
}

std::unique_ptr<measure::Operation> prepare(const measure::Case& point, const Setting& setting) {
    const auto& traffic = point.text("traffic");
    const auto pairs = traffic == "none" ? Pairs{} : parse_pairs(traffic);
    const int partner =
        partner_of(setting.comm.rank(), pairs, static_cast<int>(point.number("domain_ranks")));
    return std::make_unique<Contention>(point, setting, partner);
}

}  // namespace

Study study() {
    return {.name = study_name,
            .summary =
                "messages between domains (groups of ranks) of two nodes, while other ranks send "
                "to themselves",
            .sizes = default_sizes,
            .axes = axes,
            .fewest_ranks = 2,
            .cases = cases,
            .prepare = prepare,
            .surveyed = false,
            .compares_ranks = true};
}

}  // namespace transrank::lab::study::contention
