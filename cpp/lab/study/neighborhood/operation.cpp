// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/neighborhood/operation.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>

#include "lab/study/collectives/collective.hpp"
#include "lab/study/collectives/operation.hpp"
#include "lab/study/named.hpp"
#include "lab/study/neighborhood/blocks.hpp"
#include "lab/study/neighborhood/graph.hpp"
#include "lab/study/neighborhood/topology.hpp"
#include "lab/study/requests.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study::neighborhood {
namespace {

using collectives::Call;
using collectives::Collective;
namespace arguments = collectives::arguments;

constexpr std::array all_forms{collectives::blocking_form, collectives::nonblocking_form,
                               collectives::persistent_form};
constexpr std::span<const std::string_view> split_forms = std::span(all_forms).subspan(1);
constexpr std::span<const std::string_view> persistent_only = std::span(all_forms).subspan(2);

constexpr collectives::Side each{.blocks = collectives::Blocks::one_per_rank};
constexpr collectives::Flow exchanging{.send = each, .receive = each};
constexpr collectives::Flow gathering{.send = {.blocks = collectives::Blocks::one},
                                      .receive = each};

constexpr auto typed_places = [](const Call& c) {
    return std::tuple(c.send, c.counts, c.byte_displacements, c.types, c.receive, c.counts,
                      c.byte_displacements, c.types, c.comm);
};

/// MPI's among the neighbors of a graph: what a rank sends is a block, or one for each of them.
const auto& collective_table() {
    static const std::array rows{
        Collective{.name = "neighbor_allgather",
                   .flow = gathering,
                   .forms = FORMS(arguments::blocks, Neighbor_allgather, Ineighbor_allgather)},
        Collective{
            .name = "neighbor_allgatherv",
            .flow = gathering,
            .forms = FORMS(arguments::block_to_places, Neighbor_allgatherv, Ineighbor_allgatherv)},
        Collective{.name = "neighbor_alltoall",
                   .flow = exchanging,
                   .forms = FORMS(arguments::blocks, Neighbor_alltoall, Ineighbor_alltoall)},
        Collective{.name = "neighbor_alltoallv",
                   .flow = exchanging,
                   .forms = FORMS(arguments::places, Neighbor_alltoallv, Ineighbor_alltoallv)},
        Collective{.name = "neighbor_alltoallw",
                   .flow = exchanging,
                   .forms = FORMS(typed_places, Neighbor_alltoallw, Ineighbor_alltoallw)}};
    return rows;
}

/// Each neighbor, both ways; a rank's block lies at its place in the other's list.
Partners partners_of(const measure::Case& point, const Setting& setting) {
    const auto& topology = point.text("topology");
    const int ranks = setting.comm.size();
    std::vector<Partner> both;
    for (const int rank : neighbors(topology, setting.comm.rank(), ranks)) {
        const auto theirs = neighbors(topology, rank, ranks);
        both.push_back({.rank = rank,
                        .place = std::ranges::find(theirs, setting.comm.rank()) - theirs.begin()});
    }
    return {.targets = both, .sources = both};
}

class ByCollective final : public Blocks, public measure::Split {
public:
    ByCollective(const measure::Case& point, const Setting& setting)
        : Blocks(point, setting, partners_of(point, setting),
                 find_way(point.text("operation")).gathers),
          collective_(
              named(collective_table(), point.text("operation"), "neighborhood collective")),
          name_(collective_.mpi_name()),
          form_(point.text("form")),
          graph_(graph_of(setting)),
          counts_(partners().sources.size(), static_cast<int>(bytes())),
          displacements_(counts_.size()),
          byte_displacements_(counts_.size()),
          types_(counts_.size(), MPI_BYTE) {
        use(setting.workspace, point);
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            displacements_[i] = static_cast<int>(i) * counts_[i];
            byte_displacements_[i] = displacements_[i];
        }
        call_ = {.send = sent().data(),
                 .receive = received().data(),
                 .count = static_cast<int>(bytes()),
                 .datatype = MPI_BYTE,
                 .reduction = MPI_OP_NULL,
                 .counts = counts_.data(),
                 .displacements = displacements_.data(),
                 .byte_displacements = byte_displacements_.data(),
                 .types = types_.data(),
                 .rank = comm().rank(),
                 .root = 0,
                 .comm = graph_.handle()};
        if (form_ == collectives::persistent_form) {
            checked(collective_.forms.persistent(call_, request_));
        }
    }

    void run(std::int64_t repetitions) override {
        for (std::int64_t i = 0; i < repetitions; ++i) {
            if (form_ == collectives::blocking_form) {
                checked(collective_.forms.blocking(call_));
            } else {
                start();
                finish();
            }
        }
    }
    void start() override {
        if (form_ == collectives::persistent_form) {
            mpi::check(MPI_Start(request_), "MPI_Start");
        } else {
            checked(collective_.forms.nonblocking(call_, request_));
        }
    }
    void finish() override { mpi::check(MPI_Wait(request_, MPI_STATUS_IGNORE), "MPI_Wait"); }

private:
    [[nodiscard]] mpi::Communicator graph_of(const Setting& setting) const {
        std::vector<int> neighbors;
        std::ranges::transform(partners().sources, std::back_inserter(neighbors), &Partner::rank);
        return adjacent(setting.comm, neighbors, neighbors);
    }
    void checked(int status) const { mpi::check(status, name_.c_str()); }

    const Collective& collective_;
    std::string name_;
    std::string form_;
    mpi::Communicator graph_;
    std::vector<int> counts_;
    std::vector<int> displacements_;
    std::vector<MPI_Aint> byte_displacements_;
    std::vector<MPI_Datatype> types_;
    Call call_{};
    Requests requests_;
    MPI_Request* request_ = requests_.add();
};

std::vector<Way> make_table() {
    std::vector<Way> table;
    for (const auto& row : collective_table()) {
        table.push_back({.name = row.name,
                         .by_collective = true,
                         .gathers = row.flow.send.blocks == collectives::Blocks::one,
                         .forms = all_forms});
    }
    table.push_back({.name = "messages", .forms = split_forms});
    table.push_back({.name = "exchange", .shares_arrays = true, .forms = persistent_only});
    return table;
}

}  // namespace

bool Way::has(std::string_view form) const {
    return std::ranges::find(forms, form) != forms.end();
}

std::string Way::reason_against(std::string_view form) const {
    const auto* collective = find_named(collective_table(), name);
    return collective == nullptr || form != collectives::persistent_form
               ? ""
               : collective->reason_against_persistent();
}

std::span<const Way> ways() {
    static const auto table = make_table();
    return table;
}

const Way& find_way(std::string_view name) {
    return named(ways(), name, "way to exchange blocks with neighbors");
}

std::unique_ptr<measure::Operation> make_operation(const measure::Case& point,
                                                   const Setting& setting) {
    const auto& operation = point.text("operation");
    if (operation == "messages") {
        return make_messages(point, setting, partners_of(point, setting),
                             point.text("form") == collectives::persistent_form);
    }
    if (operation == "exchange") {
        return make_exchange(point, setting, partners_of(point, setting));
    }
    return std::make_unique<ByCollective>(point, setting);
}

}  // namespace transrank::lab::study::neighborhood
