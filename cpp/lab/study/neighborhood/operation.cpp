// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/neighborhood/operation.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>
#include <tuple>

#include "lab/study/collectives/collective.hpp"
#include "lab/study/collectives/operation.hpp"
#include "lab/study/neighborhood/blocks.hpp"
#include "lab/study/neighborhood/graph.hpp"
#include "lab/study/neighborhood/topology.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study::neighborhood {
namespace {

using collectives::Call;
using collectives::Forms;
using collectives::forms_of;

constexpr std::array all_forms{collectives::blocking_form, collectives::nonblocking_form,
                               collectives::persistent_form};
constexpr std::span<const std::string_view> split_forms = std::span(all_forms).subspan(1);
constexpr std::span<const std::string_view> persistent_only = std::span(all_forms).subspan(2);

constexpr auto blocks = [](const Call& c) {
    return std::tuple(c.send, c.count, c.datatype, c.receive, c.count, c.datatype, c.comm);
};

/// One of MPI's collectives among the neighbors of a graph.
struct Collective {
    std::string_view name;
    std::string_view mpi_name;
    bool gathers;
    Forms forms;
};

const auto& collective_table() {
    static const std::array rows{Collective{
        .name = "neighbor_allgather",
        .mpi_name = "MPI_Neighbor_allgather",
        .gathers = true,
        .forms = forms_of(
            blocks, [](auto... a) { return MPI_Neighbor_allgather(a...); },
            [](auto... a) { return MPI_Ineighbor_allgather(a...); },
            [](auto... a)
                requires requires { MPI_Neighbor_allgather_init(a...); }
            { return MPI_Neighbor_allgather_init(a...); })},
        Collective{
            .name = "neighbor_allgatherv",
            .mpi_name = "MPI_Neighbor_allgatherv",
            .gathers = true,
            .forms = forms_of(
                [](const Call& c) {
                    return std::tuple(c.send, c.count, c.datatype, c.receive, c.counts,
                                      c.displacements, c.datatype, c.comm);
                },
                [](auto... a) { return MPI_Neighbor_allgatherv(a...); },
                [](auto... a) { return MPI_Ineighbor_allgatherv(a...); },
                [](auto... a)
                    requires requires { MPI_Neighbor_allgatherv_init(a...); }
                { return MPI_Neighbor_allgatherv_init(a...); })},
            Collective{
                .name = "neighbor_alltoall",
                .mpi_name = "MPI_Neighbor_alltoall",
                .gathers = false,
                .forms = forms_of(
                    blocks, [](auto... a) { return MPI_Neighbor_alltoall(a...); },
                    [](auto... a) { return MPI_Ineighbor_alltoall(a...); },
                    [](auto... a)
                        requires requires { MPI_Neighbor_alltoall_init(a...); }
                    { return MPI_Neighbor_alltoall_init(a...); })},
                Collective{
                    .name = "neighbor_alltoallv",
                    .mpi_name = "MPI_Neighbor_alltoallv",
                    .gathers = false,
                    .forms = forms_of(
                        [](const Call& c) {
                            return std::tuple(c.send, c.counts, c.displacements, c.datatype,
                                              c.receive, c.counts, c.displacements, c.datatype,
                                              c.comm);
                        },
                        [](auto... a) { return MPI_Neighbor_alltoallv(a...); },
                        [](auto... a) { return MPI_Ineighbor_alltoallv(a...); },
                        [](auto... a)
                            requires requires { MPI_Neighbor_alltoallv_init(a...); }
                        { return MPI_Neighbor_alltoallv_init(a...); })},
                    Collective{.name = "neighbor_alltoallw",
                               .mpi_name = "MPI_Neighbor_alltoallw",
                               .gathers = false,
                               .forms = forms_of(
                                   [](const Call& c) {
                                       return std::tuple(c.send, c.counts, c.byte_displacements,
                                                         c.types, c.receive, c.counts,
                                                         c.byte_displacements, c.types, c.comm);
                                   },
                                   [](auto... a) { return MPI_Neighbor_alltoallw(a...); },
                                   [](auto... a) { return MPI_Ineighbor_alltoallw(a...); },
                                   [](auto... a)
                                       requires requires { MPI_Neighbor_alltoallw_init(a...); }
                                   { return MPI_Neighbor_alltoallw_init(a...); })}};
    return rows;
}

const Collective* find_collective(std::string_view name) {
    const auto& rows = collective_table();
    const auto found = std::ranges::find(rows, name, &Collective::name);
    return found == rows.end() ? nullptr : &*found;
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
          collective_(*find_collective(point.text("operation"))),
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
            checked(collective_.forms.persistent(call_, &request_));
        }
    }
    ByCollective(const ByCollective&) = delete;
    ByCollective& operator=(const ByCollective&) = delete;
    ~ByCollective() override {
        if (request_ != MPI_REQUEST_NULL) {
            MPI_Request_free(&request_);
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
            mpi::check(MPI_Start(&request_), "MPI_Start");
        } else {
            checked(collective_.forms.nonblocking(call_, &request_));
        }
    }
    void finish() override { mpi::check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait"); }

private:
    [[nodiscard]] mpi::Communicator graph_of(const Setting& setting) const {
        std::vector<int> neighbors;
        std::ranges::transform(partners().sources, std::back_inserter(neighbors), &Partner::rank);
        return adjacent(setting.comm, neighbors, neighbors);
    }
    void checked(int status) const { mpi::check(status, collective_.mpi_name.data()); }

    const Collective& collective_;
    std::string form_;
    mpi::Communicator graph_;
    std::vector<int> counts_;
    std::vector<int> displacements_;
    std::vector<MPI_Aint> byte_displacements_;
    std::vector<MPI_Datatype> types_;
    Call call_{};
    MPI_Request request_ = MPI_REQUEST_NULL;
};

std::vector<Way> make_table() {
    std::vector<Way> table;
    for (const auto& row : collective_table()) {
        table.push_back(
            {.name = row.name, .by_collective = true, .gathers = row.gathers, .forms = all_forms});
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
    const auto* collective = find_collective(name);
    if (collective == nullptr || form != collectives::persistent_form) {
        return "";
    }
    const auto function = std::string(collective->mpi_name) + "_init";
    const bool has = collective->forms.persistent != nullptr && collectives::library_has(function);
    return has ? "" : "this MPI has no " + function;
}

std::span<const Way> ways() {
    static const auto table = make_table();
    return table;
}

const Way& find_way(std::string_view name) {
    const auto found = std::ranges::find(ways(), name, &Way::name);
    if (found == ways().end()) {
        throw std::out_of_range("no way to exchange blocks with neighbors is called '" +
                                std::string(name) + "'");
    }
    return *found;
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
