// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/collectives/collective.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <dlfcn.h>
#include <stdexcept>

namespace transrank::lab::study::collectives {
namespace {

// Arguments that two operations have in common.
constexpr auto blocks = [](const Call& c) {
    return std::tuple(c.send, c.count, c.datatype, c.receive, c.count, c.datatype, c.comm);
};
constexpr auto numbers = [](const Call& c) {
    return std::tuple(c.send, c.receive, c.count, c.datatype, c.reduction, c.comm);
};
constexpr auto blocks_of_root = [](const Call& c) {
    return std::tuple(c.send, c.count, c.datatype, c.receive, c.count, c.datatype, c.root, c.comm);
};

constexpr Collective allreduce{.name = "allreduce",
                               .flow = {.send = {.blocks = Blocks::one},
                                        .receive = {.blocks = Blocks::one},
                                        .over = Over::all},
                               .in_place = true,
                               .forms = forms_of(
                                   numbers, [](auto... a) { return MPI_Allreduce(a...); },
                                   [](auto... a) { return MPI_Iallreduce(a...); },
                                   [](auto... a)
                                       requires requires { MPI_Allreduce_init(a...); }
                                   { return MPI_Allreduce_init(a...); })};

constexpr Collective reduce{
    .name = "reduce",
    .flow = {.send = {.blocks = Blocks::one},
             .receive = {.blocks = Blocks::one, .ranks = Ranks::root},
             .over = Over::all},
    .forms = forms_of(
        [](const Call& c) {
            return std::tuple(c.send, c.receive, c.count, c.datatype, c.reduction, c.root, c.comm);
        },
        [](auto... a) { return MPI_Reduce(a...); }, [](auto... a) { return MPI_Ireduce(a...); },
        [](auto... a)
            requires requires { MPI_Reduce_init(a...); }
        { return MPI_Reduce_init(a...); })};

constexpr Collective reduce_scatter{.name = "reduce_scatter",
                                    .flow = {.send = {.blocks = Blocks::one},
                                             .receive = {.blocks = Blocks::share},
                                             .over = Over::all},
                                    .in_place = true,
                                    .forms = forms_of(
                                        [](const Call& c) {
                                            return std::tuple(c.send, c.receive, c.counts,
                                                              c.datatype, c.reduction, c.comm);
                                        },
                                        [](auto... a) { return MPI_Reduce_scatter(a...); },
                                        [](auto... a) { return MPI_Ireduce_scatter(a...); },
                                        [](auto... a)
                                            requires requires { MPI_Reduce_scatter_init(a...); }
                                        { return MPI_Reduce_scatter_init(a...); })};

constexpr Collective reduce_scatter_block{
    .name = "reduce_scatter_block",
    .flow = {.send = {.blocks = Blocks::one_per_rank},
             .receive = {.blocks = Blocks::one},
             .over = Over::all},
    .in_place = true,
    .forms = forms_of(
        numbers, [](auto... a) { return MPI_Reduce_scatter_block(a...); },
        [](auto... a) { return MPI_Ireduce_scatter_block(a...); },
        [](auto... a)
            requires requires { MPI_Reduce_scatter_block_init(a...); }
        { return MPI_Reduce_scatter_block_init(a...); })};

constexpr Collective scan{.name = "scan",
                          .flow = {.send = {.blocks = Blocks::one},
                                   .receive = {.blocks = Blocks::one},
                                   .over = Over::up_to_own},
                          .in_place = true,
                          .forms = forms_of(
                              numbers, [](auto... a) { return MPI_Scan(a...); },
                              [](auto... a) { return MPI_Iscan(a...); },
                              [](auto... a)
                                  requires requires { MPI_Scan_init(a...); }
                              { return MPI_Scan_init(a...); })};

constexpr Collective exscan{.name = "exscan",
                            .flow = {.send = {.blocks = Blocks::one},
                                     .receive = {.blocks = Blocks::one},
                                     .over = Over::below_own},
                            .in_place = true,
                            .forms = forms_of(
                                numbers, [](auto... a) { return MPI_Exscan(a...); },
                                [](auto... a) { return MPI_Iexscan(a...); },
                                [](auto... a)
                                    requires requires { MPI_Exscan_init(a...); }
                                { return MPI_Exscan_init(a...); })};

constexpr Collective allgather{
    .name = "allgather",
    .flow = {.send = {.blocks = Blocks::one}, .receive = {.blocks = Blocks::one_per_rank}},
    .in_place = true,
    .forms = forms_of(
        blocks, [](auto... a) { return MPI_Allgather(a...); },
        [](auto... a) { return MPI_Iallgather(a...); },
        [](auto... a)
            requires requires { MPI_Allgather_init(a...); }
        { return MPI_Allgather_init(a...); })};

constexpr Collective allgatherv{
    .name = "allgatherv",
    .flow = {.send = {.blocks = Blocks::one}, .receive = {.blocks = Blocks::one_per_rank}},
    .displaced = true,
    .in_place = true,
    .forms = forms_of(
        [](const Call& c) {
            return std::tuple(c.send, c.count, c.datatype, c.receive, c.counts, c.displacements,
                              c.datatype, c.comm);
        },
        [](auto... a) { return MPI_Allgatherv(a...); },
        [](auto... a) { return MPI_Iallgatherv(a...); },
        [](auto... a)
            requires requires { MPI_Allgatherv_init(a...); }
        { return MPI_Allgatherv_init(a...); })};

constexpr Collective gather{
    .name = "gather",
    .flow = {.send = {.blocks = Blocks::one},
             .receive = {.blocks = Blocks::one_per_rank, .ranks = Ranks::root}},
    .forms = forms_of(
        blocks_of_root, [](auto... a) { return MPI_Gather(a...); },
        [](auto... a) { return MPI_Igather(a...); },
        [](auto... a)
            requires requires { MPI_Gather_init(a...); }
        { return MPI_Gather_init(a...); })};

constexpr Collective gatherv{
    .name = "gatherv",
    .flow = {.send = {.blocks = Blocks::one},
             .receive = {.blocks = Blocks::one_per_rank, .ranks = Ranks::root}},
    .displaced = true,
    .forms = forms_of(
        [](const Call& c) {
            return std::tuple(c.send, c.count, c.datatype, c.receive, c.counts, c.displacements,
                              c.datatype, c.root, c.comm);
        },
        [](auto... a) { return MPI_Gatherv(a...); }, [](auto... a) { return MPI_Igatherv(a...); },
        [](auto... a)
            requires requires { MPI_Gatherv_init(a...); }
        { return MPI_Gatherv_init(a...); })};

constexpr Collective scatter{
    .name = "scatter",
    .flow = {.send = {.blocks = Blocks::one_per_rank, .ranks = Ranks::root},
             .receive = {.blocks = Blocks::one}},
    .forms = forms_of(
        blocks_of_root, [](auto... a) { return MPI_Scatter(a...); },
        [](auto... a) { return MPI_Iscatter(a...); },
        [](auto... a)
            requires requires { MPI_Scatter_init(a...); }
        { return MPI_Scatter_init(a...); })};

constexpr Collective scatterv{
    .name = "scatterv",
    .flow = {.send = {.blocks = Blocks::one_per_rank, .ranks = Ranks::root},
             .receive = {.blocks = Blocks::one}},
    .displaced = true,
    .forms = forms_of(
        [](const Call& c) {
            return std::tuple(c.send, c.counts, c.displacements, c.datatype, c.receive, c.count,
                              c.datatype, c.root, c.comm);
        },
        [](auto... a) { return MPI_Scatterv(a...); }, [](auto... a) { return MPI_Iscatterv(a...); },
        [](auto... a)
            requires requires { MPI_Scatterv_init(a...); }
        { return MPI_Scatterv_init(a...); })};

constexpr Collective alltoall{
    .name = "alltoall",
    .flow = {.send = {.blocks = Blocks::one_per_rank}, .receive = {.blocks = Blocks::one_per_rank}},
    .in_place = true,
    .forms = forms_of(
        blocks, [](auto... a) { return MPI_Alltoall(a...); },
        [](auto... a) { return MPI_Ialltoall(a...); },
        [](auto... a)
            requires requires { MPI_Alltoall_init(a...); }
        { return MPI_Alltoall_init(a...); })};

constexpr Collective alltoallv{
    .name = "alltoallv",
    .flow = {.send = {.blocks = Blocks::one_per_rank}, .receive = {.blocks = Blocks::one_per_rank}},
    .displaced = true,
    .in_place = true,
    .forms = forms_of(
        [](const Call& c) {
            return std::tuple(c.send, c.counts, c.displacements, c.datatype, c.receive, c.counts,
                              c.displacements, c.datatype, c.comm);
        },
        [](auto... a) { return MPI_Alltoallv(a...); },
        [](auto... a) { return MPI_Ialltoallv(a...); },
        [](auto... a)
            requires requires { MPI_Alltoallv_init(a...); }
        { return MPI_Alltoallv_init(a...); })};

constexpr Collective alltoallw{
    .name = "alltoallw",
    .flow = {.send = {.blocks = Blocks::one_per_rank}, .receive = {.blocks = Blocks::one_per_rank}},
    .displaced = true,
    .in_place = true,
    .forms = forms_of(
        // Displacements of this one are in bytes, which are its elements here.
        [](const Call& c) {
            return std::tuple(c.send, c.counts, c.displacements, c.types, c.receive, c.counts,
                              c.displacements, c.types, c.comm);
        },
        [](auto... a) { return MPI_Alltoallw(a...); },
        [](auto... a) { return MPI_Ialltoallw(a...); },
        [](auto... a)
            requires requires { MPI_Alltoallw_init(a...); }
        { return MPI_Alltoallw_init(a...); })};

constexpr Collective bcast{
    .name = "bcast",
    .flow = {.send = {.blocks = Blocks::one, .ranks = Ranks::root},
             .receive = {.blocks = Blocks::one, .ranks = Ranks::all_but_root}},
    .forms = forms_of(
        // The root keeps its payload: what it receives as another root's peer goes elsewhere.
        [](const Call& c) {
            return std::tuple(c.rank == c.root ? c.send : c.receive, c.count, c.datatype, c.root,
                              c.comm);
        },
        [](auto... a) { return MPI_Bcast(a...); }, [](auto... a) { return MPI_Ibcast(a...); },
        [](auto... a)
            requires requires { MPI_Bcast_init(a...); }
        { return MPI_Bcast_init(a...); })};

constexpr Collective barrier{.name = "barrier",
                             .flow = {},
                             .forms = forms_of([](const Call& c) { return std::tuple(c.comm); },
                                               [](auto... a) { return MPI_Barrier(a...); },
                                               [](auto... a) { return MPI_Ibarrier(a...); },
                                               [](auto... a)
                                                   requires requires { MPI_Barrier_init(a...); }
                                               { return MPI_Barrier_init(a...); })};

constexpr std::array table{allreduce, reduce,    reduce_scatter, reduce_scatter_block,
                           scan,      exscan,    allgather,      allgatherv,
                           gather,    gatherv,   scatter,        scatterv,
                           alltoall,  alltoallv, alltoallw,      bcast,
                           barrier};

}  // namespace

bool library_has(const std::string& function) {
    return dlsym(RTLD_DEFAULT, function.c_str()) != nullptr;
}

bool Collective::has_persistent() const {
    return forms.persistent != nullptr && library_has(mpi_name("_init"));
}

std::string Collective::mpi_name(std::string_view suffix) const {
    std::string text = "MPI_" + std::string(name) + std::string(suffix);
    auto& initial = text[4];
    initial = static_cast<char>(std::toupper(static_cast<unsigned char>(initial)));
    return text;
}

std::span<const Collective> all() {
    return table;
}

const Collective& find(std::string_view name) {
    const auto found = std::ranges::find(table, name, &Collective::name);
    if (found == table.end()) {
        throw std::out_of_range("no collective operation '" + std::string(name) + "'");
    }
    return *found;
}

}  // namespace transrank::lab::study::collectives
