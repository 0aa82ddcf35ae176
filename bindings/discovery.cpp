// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "agreement.hpp"
#include "arrays.hpp"
#include "bindings.hpp"
#include "communicator_caster.hpp"
#include "sequences.hpp"
#include "stub.hpp"
#include "transrank/discovery/blocks.hpp"
#include "transrank/discovery/ghost.hpp"
#include "transrank/discovery/lists.hpp"
#include "transrank/discovery/numbering.hpp"
#include "transrank/discovery/route_files.hpp"
#include "transrank/layout/distribution.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/mpi/communicator.hpp"
#include "value.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace transrank::bindings {
namespace {

using discovery::Numbering;
using route::Route;

/// Of what `work` returns: the owners, the ghosts, and where they arrive.
Attempt ghost_pull(CommunicatorArgument comm, const char* call, const nb::callable& work) {
    discovery::GhostPull pull;
    const auto take = [&](nb::handle wanted) {
        if (!nb::try_cast(wanted[0], pull.rows)) {
            pull.owners = nb::cast<const layout::Distribution*>(wanted[0]);
        }
        pull.ghosts = as_span(nb::cast<Integers>(wanted[1], false));
        pull.place = {.begin = nb::cast<std::int64_t>(wanted[2]),
                      .extent = nb::cast<std::int64_t>(wanted[3])};
    };
    return attempted(comm, [&] {
        const Outcome own(work, comm.rank(), std::cref(take));
        return own.settled([&] {
            return nb::cast(together(comm, call, [&](const mpi::Communicator& base) {
                return discovery::ghost_pull(base, [&] {
                    own.require();
                    return pull;
                });
            }));
        });
    });
}

template <class Owners>
std::tuple<Route, nb::ndarray<nb::numpy, std::int64_t>> ghost_push(
    CommunicatorArgument comm, const Owners& owners, const Integers& rows,
    const Input<std::int32_t>& targets, std::int64_t ghost_begin) {
    const auto pushed_rows = as_span(rows);
    const auto to = as_span(targets);
    auto [route, made] = together(comm, "route.ghost_push", [&](const mpi::Communicator& own) {
        // Allocated first: once the ranks have met, the others no longer hear of a failure here.
        auto kept = std::make_unique<std::vector<std::int64_t>>();
        auto pushed = discovery::ghost_push(own, owners, pushed_rows, to, ghost_begin);
        *kept = std::move(pushed.ghosts);
        return std::pair(std::move(pushed.route), std::move(kept));
    });
    return {std::move(route), to_numpy(std::move(made))};
}

template <class Owners>
void bind_ghosts(nb::module_& module) {
    module.def("ghost_push", &ghost_push<Owners>, "comm"_a, "owners"_a, "rows"_a.noconvert(),
               "targets"_a.noconvert(), "ghost_begin"_a = 0);
}

/// A new NumPy array of int64, and its elements.
struct Numbers {
    nb::object array;
    std::span<std::int64_t> values;

    /// The array, or its only number where it has no dimension.
    [[nodiscard]] nb::object result() const { return array[nb::make_tuple()]; }
};

using Values = std::array<nb::handle, 2>;

/// Integers, or arrays of integers, brought to one shape. `names` are for the error.
std::array<Numbers, 2> broadcast(const std::array<const char*, 2>& names, const Values& values) {
    const auto numpy = nb::module_::import_("numpy");
    std::array<nb::object, 2> given;
    for (std::size_t i = 0; i < given.size(); ++i) {
        given[i] = numpy.attr("asarray")(values[i]);
        const auto kind = nb::cast<std::string>(given[i].attr("dtype").attr("kind"));
        if (kind != "i" && kind != "u" && nb::cast<std::size_t>(given[i].attr("size")) > 0) {
            const auto words = std::string(names[i]) + ": give an integer or an array of integers";
            throw nb::type_error(words.c_str());
        }
    }
    const nb::object alike = numpy.attr("broadcast_arrays")(given[0], given[1]);
    std::array<Numbers, 2> made;
    for (std::size_t i = 0; i < made.size(); ++i) {
        made[i].array = alike[i].attr("astype")("int64", "C");
        const auto view = nb::cast<nb::ndarray<std::int64_t, nb::c_contig>>(made[i].array);
        made[i].values = {view.data(), view.size()};
    }
    return made;
}

nb::object global_index(const Numbering& self, nb::handle rank, nb::handle row) {
    const auto [ranks, rows] = broadcast({"rank", "row"}, {rank, row});
    for (std::size_t i = 0; i < rows.values.size(); ++i) {
        const auto of = ranks.values[i];
        layout::require(std::in_range<int>(of), "rank ", of, " is out of range");
        rows.values[i] = self.global_index(static_cast<int>(of), rows.values[i]);
    }
    return rows.result();
}

nb::tuple place(const Numbering& self, nb::handle index) {
    const auto [ranks, rows] = broadcast({"index", "index"}, {index, index});
    for (std::size_t i = 0; i < rows.values.size(); ++i) {
        const auto found = self.place(rows.values[i]);
        ranks.values[i] = found.rank;
        rows.values[i] = found.row;
    }
    return nb::make_tuple(ranks.result(), rows.result());
}

nb::tuple call_of(const Numbering& self) {
    return nb::make_tuple("_restored", self.rank(), self.ranks(), self.owned().begin,
                          self.owned().end, self.extent(), self.owners());
}

void bind_numbering(const nb::module_& module) {
    nb::class_<Numbering> bound(module, "Numbering", stub_says("Numbering"));
    bound
        .def(
            "__init__",
            [](Numbering* self, CommunicatorArgument comm, nb::handle owned, nb::handle table) {
                const auto [rows, kept] = agreed(comm, "Numbering", [&] {
                    const auto rank = std::to_string(comm.rank());
                    return std::pair(as_integer("the number of rows owned by rank " + rank, owned),
                                     as_flag("table on rank " + rank, table));
                });
                together(comm, "Numbering",
                         [&, rows = rows, kept = kept](const mpi::Communicator& own) {
                             return new (self) Numbering(own, rows, kept);
                         });
            },
            "comm"_a, "owned"_a.none(), "table"_a.none() = false)
        .def_prop_ro(
            "owned",
            [](const Numbering& self) { return std::tuple(self.owned().begin, self.owned().end); },
            stub_says("Numbering.owned"))
        .def_prop_ro("extent", &Numbering::extent, stub_says("Numbering.extent"))
        .def("global_index", &global_index, "rank"_a, "row"_a, stub_says("Numbering.global_index"))
        .def("place", &place, "index"_a, stub_says("Numbering.place"))
        .def_static(
            "_restored",
            [](int rank, int ranks, std::int64_t begin, std::int64_t end, std::int64_t extent,
               std::optional<layout::Distribution> owners) {
                return Numbering(rank, ranks, {.begin = begin, .end = end}, extent,
                                 std::move(owners));
            },
            "rank"_a, "ranks"_a, "begin"_a, "end"_a, "extent"_a, "owners"_a.none())
        .def("__reduce__", [](const Numbering& self) { return made_by<Numbering>(call_of(self)); });
    bind_comparison(bound, call_of);
}

void bind_discovery_of_lists(nb::module_& module) {
    module.def(
        "lists_to_lists",
        [](CommunicatorArgument comm, const Integers& source, const Integers& destination) {
            const auto from = as_span(source);
            const auto to = as_span(destination);
            return together(comm, "route.lists", [&](const mpi::Communicator& own) {
                return discovery::lists_to_lists(own, from, to);
            });
        },
        "comm"_a, "source"_a.noconvert(), "destination"_a.noconvert());
}

void bind_discovery_of_blocks(nb::module_& module) {
    using BlockLists = std::tuple<Integers, Integers>;
    module.def(
        "blocks_to_blocks",
        [](CommunicatorArgument comm, const BlockLists& sends, const BlockLists& receives) {
            const auto blocks = [](const BlockLists& side) {
                const auto& [counts, displacements] = side;
                return discovery::BlockList{.counts = as_span(counts),
                                            .displacements = as_span(displacements)};
            };
            return together(comm, "route.alltoallv", [&](const mpi::Communicator& own) {
                return discovery::alltoallv(own, blocks(sends), blocks(receives));
            });
        },
        "comm"_a, "sends"_a, "receives"_a);
}

void bind_route_files(nb::module_& module) {
    module.def(
        "save_routes",
        [](CommunicatorArgument comm, const Route& route, nb::handle place) {
            attempted(comm, [&] {
                const auto path = path_of(place);
                together(comm, "route.save",
                         [&](const mpi::Communicator& own) { discovery::save(own, route, path); });
            });
        },
        "comm"_a, "route"_a, "place"_a);
    module.def(
        "load_routes",
        [](CommunicatorArgument comm, nb::handle place) {
            return attempted(comm, [&] {
                const auto path = path_of(place);
                return together(comm, "route.load", [&](const mpi::Communicator& own) {
                    return discovery::load(own, path);
                });
            });
        },
        "comm"_a, "place"_a);
}

}  // namespace

void bind_discovery(nb::module_& module) {
    bind_numbering(module);
    module.def("ghost_pull", &ghost_pull, "comm"_a, "call"_a, "work"_a);
    bind_ghosts<layout::Distribution>(module);
    bind_ghosts<Numbering>(module);
    bind_discovery_of_lists(module);
    bind_discovery_of_blocks(module);
    bind_route_files(module);
}

}  // namespace transrank::bindings
