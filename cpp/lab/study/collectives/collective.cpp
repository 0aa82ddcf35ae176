// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/collectives/collective.hpp"

#include <array>
#include <cctype>
#include <dlfcn.h>

#include "lab/study/named.hpp"

namespace transrank::lab::study::collectives {
namespace {

constexpr Side one{.blocks = Blocks::one};
constexpr Side each{.blocks = Blocks::one_per_rank};
constexpr Side share{.blocks = Blocks::share};
constexpr Side on_root(const Side& side) {
    return {.blocks = side.blocks, .ranks = Ranks::root};
}

constexpr auto numbers = [](const Call& c) {
    return std::tuple(c.send, c.receive, c.count, c.datatype, c.reduction, c.comm);
};
constexpr auto numbers_of_root = [](const Call& c) {
    return std::tuple(c.send, c.receive, c.count, c.datatype, c.reduction, c.root, c.comm);
};
constexpr auto shares = [](const Call& c) {
    return std::tuple(c.send, c.receive, c.counts, c.datatype, c.reduction, c.comm);
};
constexpr auto blocks_of_root = [](const Call& c) {
    return std::tuple(c.send, c.count, c.datatype, c.receive, c.count, c.datatype, c.root, c.comm);
};
constexpr auto places_of_root = [](const Call& c) {
    return std::tuple(c.send, c.count, c.datatype, c.receive, c.counts, c.displacements, c.datatype,
                      c.root, c.comm);
};
constexpr auto from_places_of_root = [](const Call& c) {
    return std::tuple(c.send, c.counts, c.displacements, c.datatype, c.receive, c.count, c.datatype,
                      c.root, c.comm);
};
// Displacements of this one are in bytes, which are its elements here.
constexpr auto typed_places = [](const Call& c) {
    return std::tuple(c.send, c.counts, c.displacements, c.types, c.receive, c.counts,
                      c.displacements, c.types, c.comm);
};
// The root keeps its payload: what it receives as another root's peer goes elsewhere.
constexpr auto block_of_root = [](const Call& c) {
    return std::tuple(c.rank == c.root ? c.send : c.receive, c.count, c.datatype, c.root, c.comm);
};
constexpr auto nothing = [](const Call& c) { return std::tuple(c.comm); };

constexpr std::array table{
    Collective{.name = "allreduce",
               .flow = {.send = one, .receive = one, .over = Over::all},
               .in_place = true,
               .forms = FORMS(numbers, Allreduce, Iallreduce)},
    Collective{.name = "reduce",
               .flow = {.send = one, .receive = on_root(one), .over = Over::all},
               .forms = FORMS(numbers_of_root, Reduce, Ireduce)},
    Collective{.name = "reduce_scatter",
               .flow = {.send = one, .receive = share, .over = Over::all},
               .in_place = true,
               .forms = FORMS(shares, Reduce_scatter, Ireduce_scatter)},
    Collective{.name = "reduce_scatter_block",
               .flow = {.send = each, .receive = one, .over = Over::all},
               .in_place = true,
               .forms = FORMS(numbers, Reduce_scatter_block, Ireduce_scatter_block)},
    Collective{.name = "scan",
               .flow = {.send = one, .receive = one, .over = Over::up_to_own},
               .in_place = true,
               .forms = FORMS(numbers, Scan, Iscan)},
    Collective{.name = "exscan",
               .flow = {.send = one, .receive = one, .over = Over::below_own},
               .in_place = true,
               .forms = FORMS(numbers, Exscan, Iexscan)},
    Collective{.name = "allgather",
               .flow = {.send = one, .receive = each},
               .in_place = true,
               .forms = FORMS(arguments::blocks, Allgather, Iallgather)},
    Collective{.name = "allgatherv",
               .flow = {.send = one, .receive = each},
               .displaced = true,
               .in_place = true,
               .forms = FORMS(arguments::block_to_places, Allgatherv, Iallgatherv)},
    Collective{.name = "gather",
               .flow = {.send = one, .receive = on_root(each)},
               .forms = FORMS(blocks_of_root, Gather, Igather)},
    Collective{.name = "gatherv",
               .flow = {.send = one, .receive = on_root(each)},
               .displaced = true,
               .forms = FORMS(places_of_root, Gatherv, Igatherv)},
    Collective{.name = "scatter",
               .flow = {.send = on_root(each), .receive = one},
               .forms = FORMS(blocks_of_root, Scatter, Iscatter)},
    Collective{.name = "scatterv",
               .flow = {.send = on_root(each), .receive = one},
               .displaced = true,
               .forms = FORMS(from_places_of_root, Scatterv, Iscatterv)},
    Collective{.name = "alltoall",
               .flow = {.send = each, .receive = each},
               .in_place = true,
               .forms = FORMS(arguments::blocks, Alltoall, Ialltoall)},
    Collective{.name = "alltoallv",
               .flow = {.send = each, .receive = each},
               .displaced = true,
               .in_place = true,
               .forms = FORMS(arguments::places, Alltoallv, Ialltoallv)},
    Collective{.name = "alltoallw",
               .flow = {.send = each, .receive = each},
               .displaced = true,
               .in_place = true,
               .forms = FORMS(typed_places, Alltoallw, Ialltoallw)},
    Collective{.name = "bcast",
               .flow = {.send = on_root(one),
                        .receive = {.blocks = Blocks::one, .ranks = Ranks::all_but_root}},
               .forms = FORMS(block_of_root, Bcast, Ibcast)},
    Collective{.name = "barrier", .flow = {}, .forms = FORMS(nothing, Barrier, Ibarrier)}};

}  // namespace

bool library_has(const std::string& function) {
    return dlsym(RTLD_DEFAULT, function.c_str()) != nullptr;
}

std::string Collective::reason_against_persistent() const {
    const auto function = mpi_name("_init");
    const bool has = forms.persistent != nullptr && library_has(function);
    return has ? "" : "this MPI has no " + function;
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
    return named(table, name, "collective operation");
}

}  // namespace transrank::lab::study::collectives
