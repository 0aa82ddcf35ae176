// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "c/calls.hpp"
#include "transrank/discovery/blocks.hpp"
#include "transrank/discovery/ghost.hpp"
#include "transrank/discovery/route_files.hpp"
#include "transrank/route/halo.hpp"
#include "transrank/route/redistribution.hpp"

using namespace transrank;

namespace {

using c::Arguments;
using c::create_together;
using c::rank_of;
using c::ranks_of;

c::Route kept(route::Route route, std::vector<std::int64_t> ghosts = {}) {
    return {.value = std::make_shared<const route::Route>(std::move(route)),
            .ghosts = std::move(ghosts)};
}

}  // namespace

int transrank_route_halo(MPI_Comm comm, const transrank_layout* grid, int corners,
                         transrank_route** route) {
    return create_together(__func__, comm, route, [&](const Arguments& arguments) {
        const auto* blocks = std::get_if<layout::BlockGrid>(&arguments.object(grid));
        layout::require(blocks != nullptr, "the layout is a list of points", arguments.where(),
                        "; only a grid has a halo");
        const auto chosen =
            arguments.choice(corners, route::Corners::left_out, "choice of corners");
        auto words = blocks->words();
        words.emplace_back(chosen == route::Corners::included ? "corners" : "no corners");
        auto made = route::halo(rank_of(comm), ranks_of(comm), *blocks, chosen);
        return [made = std::move(made), words = std::move(words)](const mpi::Communicator& own) {
            mpi::agree_on(own, "makes the halo route of", words);
            return kept(made);
        };
    });
}

int transrank_route_redistribution(MPI_Comm comm, const transrank_layout* source,
                                   const transrank_layout* destination, int coverage,
                                   transrank_route** route) {
    return c::create_agreed(__func__, comm, route, [&](const Arguments& arguments) {
        return [comm, from = arguments.shared(source), to = arguments.shared(destination),
                chosen = arguments.choice(coverage, route::Coverage::owned_and_halo, "coverage")] {
            return kept(redistribution::route_between(comm, *from, *to, chosen));
        };
    });
}

int transrank_route_ghost_pull(MPI_Comm comm, const transrank_numbering* numbering, int64_t count,
                               const int64_t* ghosts, int64_t begin, int64_t extent,
                               transrank_route** route) {
    return create_together(__func__, comm, route, [&](const Arguments& arguments) {
        return
            [=, owners = arguments.object(numbering),
             wanted = arguments.list(count, ghosts, "the ghosts")](const mpi::Communicator& own) {
                auto made =
                    discovery::ghost_pull(own, owners, wanted, {.begin = begin, .extent = extent});
                return kept(std::move(made), {wanted.begin(), wanted.end()});
            };
    });
}

int transrank_route_ghost_pull_at(MPI_Comm comm, const transrank_numbering* numbering,
                                  int64_t count, const int64_t* ghosts, const int64_t* places,
                                  int64_t extent, transrank_route** route) {
    return create_together(__func__, comm, route, [&](const Arguments& arguments) {
        return [=, owners = arguments.object(numbering),
                wanted = arguments.list(count, ghosts, "the ghosts"),
                rows = arguments.list(count, places, "the places")](const mpi::Communicator& own) {
            auto made = discovery::ghost_pull(own, owners, wanted,
                                              {.begin = 0, .extent = extent, .rows = rows});
            return kept(std::move(made), {wanted.begin(), wanted.end()});
        };
    });
}

int transrank_route_ghost_push(MPI_Comm comm, const transrank_numbering* numbering, int64_t count,
                               const int64_t* rows, const int* targets, int64_t begin,
                               transrank_route** route) {
    return create_together(__func__, comm, route, [&](const Arguments& arguments) {
        return [begin, owners = arguments.object(numbering),
                pushed = arguments.list(count, rows, "the rows"),
                to = arguments.list(count, targets, "the targets")](const mpi::Communicator& own) {
            auto made = discovery::ghost_push(own, owners, pushed, to, begin);
            return kept(std::move(made.route), std::move(made.ghosts));
        };
    });
}

int transrank_route_alltoallv(MPI_Comm comm, const int64_t* send_counts,
                              const int64_t* send_displacements, const int64_t* receive_counts,
                              const int64_t* receive_displacements, transrank_route** route) {
    return create_together(__func__, comm, route, [&](const Arguments& arguments) {
        const auto values = [&, ranks = ranks_of(comm)](const std::int64_t* given,
                                                        const char* name) {
            return arguments.list(ranks, given, name);
        };
        const discovery::BlockList sends{
            .counts = values(send_counts, "the counts to send"),
            .displacements = values(send_displacements, "the displacements to send from")};
        const discovery::BlockList receives{
            .counts = values(receive_counts, "the counts to receive"),
            .displacements = values(receive_displacements, "the displacements to receive at")};
        return [=](const mpi::Communicator& own) {
            return kept(discovery::alltoallv(own, sends, receives));
        };
    });
}

int transrank_route_transposed(const transrank_route* route, transrank_route** back) {
    return c::create(back, [&](const Arguments& arguments) {
        return kept(arguments.object(route).value->transposed());
    });
}

int transrank_route_save(MPI_Comm comm, const transrank_route* route, const char* place) {
    return c::attempt([&, call = __func__] {
        c::together(call, comm, [&](const Arguments& arguments) {
            return [saved = arguments.object(route).value,
                    to = std::string(arguments.pointer(place, "the place"))](
                       const mpi::Communicator& own) { discovery::save(own, *saved, to); };
        });
    });
}

int transrank_route_load(MPI_Comm comm, const char* place, transrank_route** route) {
    return create_together(__func__, comm, route, [&](const Arguments& arguments) {
        return [from = std::string(arguments.pointer(place, "the place"))](
                   const mpi::Communicator& own) { return kept(discovery::load(own, from)); };
    });
}

int transrank_route_extents(const transrank_route* route, int64_t* source, int64_t* destination) {
    return c::attempt([&] {
        const auto& object = *Arguments().object(route).value;
        c::tell(source, object.source_extent());
        c::tell(destination, object.destination_extent());
    });
}

int transrank_route_shapes(const transrank_route* route, int* source_dimensions, int64_t* source,
                           int* destination_dimensions, int64_t* destination) {
    return c::attempt([&] {
        const auto tell = [](const route::Shape& shape, int* dimensions, int64_t* lengths) {
            c::tell(dimensions, static_cast<int>(shape.size()));
            if (lengths != nullptr) {
                std::ranges::copy(shape, lengths);
            }
        };
        const auto& shapes = Arguments().object(route).value->shapes();
        tell(shapes.source, source_dimensions, source);
        tell(shapes.destination, destination_dimensions, destination);
    });
}

int transrank_route_ghosts(const transrank_route* route, int64_t* count, const int64_t** ghosts) {
    return c::attempt([&] {
        const auto& object = Arguments().object(route);
        *Arguments().pointer(count, "the place of the count") = std::ssize(object.ghosts);
        *Arguments().pointer(ghosts, "the place of the ghosts") = object.ghosts.data();
    });
}
