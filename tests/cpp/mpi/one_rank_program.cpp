// SPDX-License-Identifier: BSD-3-Clause
// One rank passes something else to a collective call than it should: it works, or all ranks throw
// one error. After MPI_Finalize each call is refused, whatever it is passed. Run by
// test_one_rank.py: one_rank_program SEED TRIALS FOLDER.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "../exchange/world.hpp"
#include "transrank/array/array_transformer.hpp"
#include "transrank/collective/alltoall.hpp"
#include "transrank/discovery/blocks.hpp"
#include "transrank/discovery/cells.hpp"
#include "transrank/discovery/ghost.hpp"
#include "transrank/discovery/lists.hpp"
#include "transrank/discovery/numbering.hpp"
#include "transrank/discovery/route_check.hpp"
#include "transrank/discovery/route_files.hpp"
#include "transrank/exchange/exchange.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/redistribution/redistribution.hpp"

using namespace testing;
using namespace transrank;

namespace {

using layout::BlockGrid;
using layout::Distribution;
using Numbers = std::vector<std::int64_t>;
using route::Route;

constexpr std::int64_t rows = 4;
constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
constexpr auto hanging = std::chrono::seconds(30);
constexpr int hang_status = 77;

std::filesystem::path folder;
std::atomic<int> trial_under_way = 0;

/// What this rank passes: what is right or, on the bad rank, now and then something else.
class Input {
public:
    Input(std::uint64_t seed, bool bad) : random_(seed), bad_(bad) {}

    bool is_wrong() { return bad_ && below(3) == 0; }

    template <class T>
    T other(T right, std::vector<T> wrong) {
        return is_wrong() ? wrong[below(wrong.size())] : right;
    }

    std::int64_t number(std::int64_t right) {
        return other<std::int64_t>(
            right, {0, -1, 1, right - 1, right + 1, huge, -huge - 1, std::int64_t{1} << 31,
                    std::int64_t{1} << 62, static_cast<std::int64_t>(random_())});
    }

    int small_number(int right) {
        return other<int>(right, {0, -1, 1, right + 1, std::numeric_limits<int>::max(),
                                  std::numeric_limits<int>::min()});
    }

    template <class T>
    std::vector<T> list(std::vector<T> right) {
        if (!is_wrong()) {
            return right;
        }
        switch (right.empty() ? 0 : below(4)) {
            case 0:
                right.push_back(static_cast<T>(number(0)));
                break;
            case 1:
                right.pop_back();
                break;
            case 2:
                right.assign(below(20), right.front());
                break;
            default:
                right[below(right.size())] = static_cast<T>(number(right.front()));
        }
        return right;
    }

    std::string name(const std::string& right) {
        return other<std::string>(
            right, {"", "nosuch", "auto", "message", "shared-direct", "bruck", "linear-bounded",
                    "two\nlines", std::string("a\0b", 3), std::string(3'000'000, 'x'), "\xff\xfe"});
    }

private:
    std::size_t below(std::size_t end) { return static_cast<std::size_t>(random_() % end); }

    std::mt19937_64 random_;
    bool bad_;
};

Numbers range(std::int64_t count, std::int64_t begin = 0) {
    Numbers numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), begin);
    return numbers;
}

Numbers ones() {
    return Numbers(static_cast<std::size_t>(world_size()), 1);
}

Distribution owners(Input& input) {
    const auto extent = rows * world_size();
    return input.other<Distribution>(
        Distribution::even(extent, world_size()),
        {Distribution::even(extent, world_size() + 1), Distribution::even(extent + 1, world_size()),
         Distribution::block_cyclic(extent, world_size(), 2),
         Distribution::even(huge, world_size())});
}

Route ring(const mpi::Communicator& comm, std::int64_t count = rows) {
    const auto all = Distribution::even(rows * comm.size(), comm.size());
    const auto next = rows * ((comm.rank() + 1) % comm.size());
    return discovery::ghost_pull(comm, all, range(count, next), {.begin = 0, .extent = count});
}

Route some_route(Input& input, const mpi::Communicator& comm) {
    const auto right = ring(comm);
    const auto shorter = ring(comm, rows - 1);
    return input.other<Route>(
        right, {right.transposed(), shorter, Route(comm.rank(), comm.size(), rows, rows, {}, {}),
                Route(0, comm.size() + 1, rows, rows, {}, {}), Route(0, 1, 0, 0, {}, {})});
}

BlockGrid grid(Input& input, int along) {
    const auto divided = [&](int dimension, std::int64_t extent) {
        return Distribution::even(extent, dimension == along ? world_size() : 1);
    };
    const auto made = [&](std::int64_t extent) {
        return BlockGrid({divided(0, extent), divided(1, rows * world_size())});
    };
    const auto right = made(rows * world_size());
    return input.other<BlockGrid>(right, {made(rows * world_size() + 1), BlockGrid({owners(input)}),
                                          made(rows * std::int64_t{world_size()} * 1000)});
}

route::CellList cell_list(Input& input, const Numbers& cells) {
    return {.cells = cells,
            .numbering = input.other(layout::Order::last_fastest, {layout::Order::first_fastest})};
}

redistribution::Layout points(Input& input) {
    const auto cells = world_size() * rows * rows;
    return redistribution::Points{
        .cells = input.list(range(cells, world_rank() * cells)),
        .numbering = input.other(layout::Order::last_fastest, {layout::Order::first_fastest})};
}

copy::Field field(Input& input, Numbers& source, Numbers& destination) {
    const auto bytes_of = [](const Numbers& array) {
        return static_cast<std::int64_t>(array.size() * sizeof(array.front()));
    };
    const auto fewer = [&](std::int64_t bytes) {
        return input.other<std::int64_t>(bytes, {0, -1, bytes - 1, bytes / 2, -huge - 1});
    };
    auto* from = reinterpret_cast<std::byte*>(source.data());
    auto* to = reinterpret_cast<std::byte*>(destination.data());
    return {
        .source = input.other<std::byte*>(from, {nullptr, to, to + 8}),
        .source_bytes = fewer(bytes_of(source)),
        .destination = input.other<std::byte*>(to, {nullptr}),
        .destination_bytes = fewer(bytes_of(destination)),
        .unit_bytes = input.number(8),
        .scalar = input.other(copy::Scalar::int64, {copy::Scalar::opaque, copy::Scalar::uint8})};
}

exchange::Options options(Input& input) {
    using copy::Operation;
    const auto bytes = input.number(100);
    return {.operation = input.other(Operation::assign, {Operation::add, Operation::max}),
            .transport = input.name("auto"),
            .push_below_bytes = input.other<std::optional<std::int64_t>>(bytes, {std::nullopt, -1}),
            .longest_message_bytes = input.number(100)};
}

collective::AlltoallOptions alltoall_options(Input& input) {
    return {.algorithm = input.name("auto"),
            .choices = input.name(""),
            .radix = input.small_number(2),
            .window = input.small_number(8),
            .leaders = input.small_number(2),
            .ranks_per_node = input.small_number(0),
            .torus = input.list(std::vector<int>{})};
}

using Array = array::ParArray<double, array::dynamic_size>;
using Transformer = array::ArrayTransformer<double, array::dynamic_size>;

Transformer transformer(Input& input) {
    const auto father = std::make_shared<Array>();
    father->resize(input.other<std::int64_t>(rows, {0, 1, rows + 1}),
                   input.other<std::int64_t>(3, {0, 1, 4}));
    Transformer made(MPI_COMM_WORLD);
    made.set_father_son(input.other<std::shared_ptr<Array>>(father, {nullptr}),
                        input.other(std::make_shared<Array>(), {nullptr, father}));
    return made;
}

struct Call {
    const char* name;
    std::function<void(Input&, const mpi::Communicator&)> make;
};

const std::vector<Call>& calls() {
    static const std::vector<Call> all{
        {"Numbering",
         [](Input& in, const auto& comm) {
             const bool table = in.other(false, {true});
             (void)discovery::Numbering(comm, in.number(rows), table);
         }},
        {"ghost_pull",
         [](Input& in, const auto& comm) {
             (void)discovery::ghost_pull(comm, owners(in), in.list(Numbers{0, 1}),
                                         {.begin = in.number(1), .extent = in.number(3)});
         }},
        {"ghost_pull of a numbering",
         [](Input& in, const auto& comm) {
             const discovery::Numbering even(comm, rows);
             const discovery::Numbering numbering(comm, comm.rank());
             (void)discovery::ghost_pull(comm, in.other(numbering, {even}), in.list(Numbers{0, 0}),
                                         {.begin = in.number(1), .extent = in.number(3)});
         }},
        {"ghost_push",
         [](Input& in, const auto& comm) {
             (void)discovery::ghost_push(comm, owners(in), in.list(Numbers{0, 1}),
                                         in.list(std::vector<int>{0, 0}), in.number(0));
         }},
        {"ghost_push of a numbering",
         [](Input& in, const auto& comm) {
             const discovery::Numbering numbering(comm, comm.rank() + 1);
             (void)discovery::ghost_push(comm, numbering, in.list(Numbers{0, 0}),
                                         in.list(std::vector<int>{0, comm.size() - 1}),
                                         in.number(0));
         }},
        {"lists_to_lists",
         [](Input& in, const auto& comm) {
             (void)discovery::lists_to_lists(comm, in.list(range(rows, comm.rank() * rows)),
                                             in.list(Numbers{0, 1}));
         }},
        {"grid_to_lists",
         [](Input& in, const auto& comm) {
             const auto cells = in.list(range(2, 2 * comm.rank()));
             (void)discovery::grid_to_lists(comm, grid(in, 0), cell_list(in, cells));
         }},
        {"lists_to_grid",
         [](Input& in, const auto& comm) {
             const auto count = comm.size() * rows * rows;
             const auto cells = in.list(range(count, comm.rank() * count));
             (void)discovery::lists_to_grid(comm, cell_list(in, cells), grid(in, 1));
         }},
        {"alltoallv",
         [](Input& in, const auto& comm) {
             const auto counts = in.list(ones());
             const auto displacements = in.list(range(comm.size()));
             (void)discovery::alltoallv(comm, {.counts = counts, .displacements = displacements},
                                        {.counts = ones(), .displacements = range(comm.size())});
         }},
        {"arriving_rows",
         [](Input& in, const auto& comm) {
             const auto source = layout::Rows::fixed(in.other<std::int64_t>(rows, {0, 1, 9}),
                                                     in.other<std::int64_t>(3, {0, 5}));
             const auto along = some_route(in, comm);
             const auto arriving = discovery::arriving_rows(comm, along, source);
             const auto destination = mpi::agreed(
                 comm, [&] { return layout::Rows::variable(in.list(Numbers(rows, 3))); });
             (void)discovery::in_units(comm, along, arriving, source, destination);
         }},
        {"check_consistent",
         [](Input& in, const auto& comm) {
             discovery::check_consistent(comm, some_route(in, comm));
         }},
        {"save and load",
         [](Input& in, const auto& comm) {
             const auto wrong = in.name("routes");
             discovery::save(comm, some_route(in, comm), folder / wrong.substr(0, 100));
             (void)discovery::load(comm, folder / in.other<std::string>("routes", {"nosuch"}));
         }},
        {"Exchange",
         [](Input& in, const auto& comm) {
             Numbers source(rows);
             Numbers destination(rows);
             std::vector<copy::Field> fields{field(in, source, destination)};
             fields.resize(in.other<std::size_t>(1, {0, 2}), fields.front());
             exchange::Exchange(some_route(in, comm), MPI_COMM_WORLD, fields, options(in)).run();
         }},
        {"Alltoall",
         [](Input& in, const auto& comm) {
             Numbers send(2 * ones().size());
             Numbers receive(send.size());
             auto* const to = in.other(receive.data(), {nullptr, send.data(), send.data() + 1});
             (void)comm;
             const collective::Alltoall bound(MPI_COMM_WORLD,
                                              in.other(send.data(), {nullptr, receive.data()}), to,
                                              in.number(16), alltoall_options(in));
         }},
        {"Alltoall of blocks",
         [](Input& in, const auto& comm) {
             Numbers send(2 * ones().size());
             Numbers receive(send.size());
             auto blocks = collective::Blocks::equal(comm.size(), 16);
             blocks.send_offsets = in.list(blocks.send_offsets);
             blocks.send_bytes = in.list(blocks.send_bytes);
             blocks.receive_offsets = in.list(blocks.receive_offsets);
             blocks.receive_bytes = in.list(blocks.receive_bytes);
             const collective::Alltoall bound(
                 MPI_COMM_WORLD, in.other(send.data(), {nullptr, receive.data()}),
                 in.other(receive.data(), {nullptr}), blocks, alltoall_options(in));
         }},
        {"alltoall",
         [](Input& in, const auto& comm) {
             Numbers send(2 * ones().size());
             Numbers receive(send.size());
             (void)comm;
             collective::alltoall(MPI_COMM_WORLD, send.data(), receive.data(), in.number(16),
                                  alltoall_options(in));
         }},
        {"Redistribution of grids",
         [](Input& in, const auto& comm) {
             redistribution::Redistribution made(MPI_COMM_WORLD, grid(in, 0), grid(in, 1));
             Numbers source(static_cast<std::size_t>(comm.size() * rows * rows));
             Numbers destination(source.size());
             made.store({field(in, source, destination)}, options(in));
             made.run();
         }},
        {"Redistribution of points",
         [](Input& in, const auto& comm) {
             (void)comm;
             (void)redistribution::route_between(MPI_COMM_WORLD, points(in), grid(in, 1));
         }},
        {"ArrayTransformer by pulling",
         [](Input& in, const auto& comm) {
             auto made = transformer(in);
             made.create_global_mapping();
             made.create_ghost_mapping(in.list(Numbers{0, comm.rank()}));
             made.pull_once(options(in));
         }},
        {"ArrayTransformer by pushing",
         [](Input& in, const auto& comm) {
             auto made = transformer(in);
             made.create_global_mapping();
             made.create_ghost_mapping(in.list(Numbers{0, 1}),
                                       in.list(std::vector<int>{0, comm.size() - 1}));
             made.push_once(in.other(copy::Operation::add, {copy::Operation::min}));
         }},
        {"ArrayTransformer whose updates are kept",
         [](Input& in, const auto& comm) {
             auto made = transformer(in);
             made.create_global_mapping();
             made.create_ghost_mapping(in.list(Numbers{0, comm.rank()}));
             made.init_persistent_pull(options(in)).run();
             made.init_persistent_push(copy::Operation::add, options(in)).run();
             made.bind_pull(options(in)).run();
             made.bind_push(in.other(copy::Operation::add, {copy::Operation::min}), {}).run();
             made.fit_son();
         }},
        {"ArrayTransformer along a route",
         [](Input& in, const auto& comm) {
             auto made = transformer(in);
             made.create_global_mapping();
             made.use_route(some_route(in, comm));
             auto other = transformer(in);
             other.borrow_mapping(made);
         }},
    };
    return all;
}

/// A call, and an argument that may not differ between ranks; `other` passes another value that is
/// as good in itself.
struct Difference {
    const char* call;
    const char* argument;
    std::function<void(bool other, const mpi::Communicator&)> make;
};

template <class Options>
struct Change {
    const char* argument;
    void (*make)(Options&);
};

const std::vector<Change<exchange::Options>>& option_changes() {
    using exchange::Options;
    static const std::vector<Change<Options>> all{
        {"operation", [](Options& options) { options.operation = copy::Operation::max; }},
        {"transport", [](Options& options) { options.transport = "message"; }},
        {"push_below_bytes", [](Options& options) { options.push_below_bytes = 7; }},
        {"stores", [](Options& options) { options.stores = copy::Stores::cached; }},
        {"longest_message_bytes", [](Options& options) { options.longest_message_bytes = 101; }},
    };
    return all;
}

const std::vector<Change<collective::AlltoallOptions>>& alltoall_changes() {
    using Options = collective::AlltoallOptions;
    static const std::vector<Change<Options>> all{
        {"algorithm", [](Options& options) { options.algorithm = "pairwise"; }},
        {"choices", [](Options& options) { options.choices = "choices"; }},
        {"radix", [](Options& options) { options.radix = 3; }},
        {"window", [](Options& options) { options.window = 9; }},
        {"leaders", [](Options& options) { options.leaders = 3; }},
        {"ranks_per_node", [](Options& options) { options.ranks_per_node = 1; }},
        {"torus", [](Options& options) { options.torus = {world_size()}; }},
    };
    return all;
}

Distribution divided(bool other) {
    const auto extent = rows * world_size();
    return other ? Distribution::block_cyclic(extent, world_size(), 2)
                 : Distribution::even(extent, world_size());
}

BlockGrid square(bool other, int along = 0) {
    const auto one = Distribution::even(rows * world_size(), 1);
    const auto all = Distribution::even(rows * world_size(), world_size());
    return BlockGrid(along == 0 ? std::vector{all, one} : std::vector{one, all},
                     {.memory_order = other ? std::vector{0, 1} : std::vector{1, 0}});
}

route::CellList some_cells(bool other, const Numbers& cells) {
    return {.cells = cells,
            .numbering = other ? layout::Order::first_fastest : layout::Order::last_fastest};
}

// From a rank's rows to as many, so that the way back fits the same arrays.
Route there(bool back, const mpi::Communicator& comm) {
    const auto made = ring(comm);
    return back ? made.transposed() : made;
}

Transformer mapped(std::int64_t length = 3) {
    Input right(0, false);
    auto made = transformer(right);
    made.father()->resize(rows, length);
    made.create_global_mapping();
    return made;
}

void bind(const Route& route, const exchange::Options& options) {
    Numbers source(rows);
    Numbers destination(rows);
    Input right(0, false);
    exchange::Exchange(route, MPI_COMM_WORLD, {field(right, source, destination)}, options).run();
}

void bind_alltoall(std::int64_t block_bytes, bool in_place,
                   const collective::AlltoallOptions& options, bool once) {
    Numbers send(4 * ones().size());
    Numbers receive(send.size());
    auto* const to = in_place ? send.data() : receive.data();
    if (once) {
        collective::alltoall(MPI_COMM_WORLD, send.data(), to, block_bytes, options);
    } else {
        const collective::Alltoall bound(MPI_COMM_WORLD, send.data(), to, block_bytes, options);
    }
}

std::vector<Difference> differences_of_options() {
    std::vector<Difference> all;
    for (const auto& [argument, change] : option_changes()) {
        const auto options = [change = change](bool other) {
            exchange::Options made{.push_below_bytes = 5};
            if (other) {
                change(made);
            }
            return made;
        };
        all.push_back({"Exchange", argument, [=](bool other, const mpi::Communicator& comm) {
                           bind(ring(comm), options(other));
                       }});
        all.push_back({"Redistribution::store", argument, [=](bool other, const auto& comm) {
                           Numbers source(static_cast<std::size_t>(comm.size() * rows * rows));
                           Numbers destination(source.size());
                           Input right(0, false);
                           redistribution::Redistribution made(MPI_COMM_WORLD, square(false),
                                                               square(false, 1));
                           made.store({field(right, source, destination)}, options(other));
                       }});
        all.push_back({"bind_pull", argument, [=](bool other, const mpi::Communicator& comm) {
                           auto made = mapped();
                           made.create_ghost_mapping(Numbers{0, comm.rank()});
                           made.init_persistent_pull(options(other)).run();
                       }});
    }
    for (const auto& [argument, change] : alltoall_changes()) {
        for (const bool once : {false, true}) {
            all.push_back({once ? "alltoall" : "Alltoall", argument,
                           [once, change = change](bool other, const mpi::Communicator&) {
                               collective::AlltoallOptions options;
                               if (other) {
                                   change(options);
                               }
                               bind_alltoall(16, false, options, once);
                           }});
        }
    }
    return all;
}

std::vector<Difference> differences() {
    auto all = differences_of_options();
    const std::vector<Difference> others{
        {"Numbering", "table",
         [](bool other, const auto& comm) { (void)discovery::Numbering(comm, rows, other); }},
        {"ghost_pull", "owners",
         [](bool other, const auto& comm) {
             (void)discovery::ghost_pull(comm, divided(other), {}, {.begin = 0, .extent = 0});
         }},
        {"ghost_pull", "rows",
         [](bool other, const auto& comm) {
             const discovery::Numbering one(comm, comm.rank());
             const discovery::Numbering two(comm, comm.rank() + 1);
             (void)discovery::ghost_pull(comm, other ? two : one, {}, {.begin = 0, .extent = 0});
         }},
        {"ghost_push", "owners",
         [](bool other, const auto& comm) {
             (void)discovery::ghost_push(comm, divided(other), {}, {}, 0);
         }},
        {"ghost_push", "rows",
         [](bool other, const auto& comm) {
             const discovery::Numbering one(comm, comm.rank());
             const discovery::Numbering two(comm, comm.rank() + 1);
             (void)discovery::ghost_push(comm, other ? two : one, {}, {}, 0);
         }},
        {"grid_to_lists", "source",
         [](bool other, const auto& comm) {
             (void)discovery::grid_to_lists(comm, square(other), some_cells(false, {}));
         }},
        {"grid_to_lists", "destination",
         [](bool other, const auto& comm) {
             (void)discovery::grid_to_lists(comm, square(false), some_cells(other, {}));
         }},
        {"lists_to_grid", "source",
         [](bool other, const auto& comm) {
             const auto count = comm.size() * rows * rows;
             const auto cells = range(count, comm.rank() * count);
             (void)discovery::lists_to_grid(comm, some_cells(other, cells), square(false));
         }},
        {"lists_to_grid", "destination",
         [](bool other, const auto& comm) {
             const auto count = comm.size() * rows * rows;
             const auto cells = range(count, comm.rank() * count);
             (void)discovery::lists_to_grid(comm, some_cells(false, cells), square(other));
         }},
        {"route_between", "source",
         [](bool other, const auto&) {
             (void)redistribution::route_between(MPI_COMM_WORLD, square(other), square(false, 1));
         }},
        {"route_between", "destination",
         [](bool other, const auto&) {
             (void)redistribution::route_between(MPI_COMM_WORLD, square(false), square(other, 1));
         }},
        {"route_between", "coverage",
         [](bool other, const auto&) {
             (void)redistribution::route_between(
                 MPI_COMM_WORLD, square(false), square(false, 1),
                 other ? route::Coverage::owned_and_halo : route::Coverage::owned);
         }},
        {"check_consistent", "route",
         [](bool other, const auto& comm) {
             const auto whole = ring(comm);
             const auto shorter = ring(comm, rows - 1);
             discovery::check_consistent(comm, other ? shorter : whole);
         }},
        {"Exchange", "route", [](bool other, const auto& comm) { bind(there(other, comm), {}); }},
        {"GhostUpdate::bind", "direction",
         [](bool other, const auto& comm) {
             auto made = mapped();
             made.create_ghost_mapping(Numbers{rows * ((comm.rank() + 1) % comm.size()),
                                               (rows * ((comm.rank() + 1) % comm.size())) + 1});
             (other ? made.bind_push(copy::Operation::assign, {}) : made.bind_pull({})).run();
         }},
        {"GhostUpdate::bind_push", "operation",
         [](bool other, const auto& comm) {
             auto made = mapped();
             made.create_ghost_mapping(Numbers{0, comm.rank()});
             made.push_once(other ? copy::Operation::max : copy::Operation::add);
         }},
        {"GhostUpdate::create_ghost_mapping", "father",
         [](bool other, const auto& comm) {
             mapped(other ? 4 : 3).create_ghost_mapping(Numbers{0, comm.rank()});
         }},
        {"GhostUpdate::use_route", "route",
         [](bool other, const auto& comm) { mapped().use_route(there(other, comm)); }},
        {"Alltoall", "block_bytes",
         [](bool other, const auto&) { bind_alltoall(other ? 8 : 16, false, {}, false); }},
        {"Alltoall", "receive",
         [](bool other, const auto&) { bind_alltoall(16, other, {}, false); }},
        {"alltoall", "block_bytes",
         [](bool other, const auto&) { bind_alltoall(other ? 8 : 16, false, {}, true); }},
        {"alltoall", "receive",
         [](bool other, const auto&) { bind_alltoall(16, other, {}, true); }},
    };
    all.insert(all.end(), others.begin(), others.end());
    return all;
}

template <class Work>
std::string words_of(const Work& work) {
    try {
        work();
    } catch (const mpi::AgreedError& error) {
        return std::string("refused: ") + error.what();
    } catch (const std::exception& error) {
        return std::string("thrown: ") + error.what();
    }
    return "works";
}

// How many pairs of a call and an argument end otherwise than with one error of all ranks.
int silent_differences(const mpi::Communicator& comm) {
    int silent = 0;
    const auto all = differences();
    for (const auto& [call, argument, make] : all) {
        for (int bad = 0; comm.size() > 1 && bad < comm.size(); ++bad) {
            const auto words = words_of([&] { make(bad == comm.rank(), comm); });
            if (!same_on_all_ranks(words) || !words.starts_with("refused: ")) {
                std::cerr << call << " differs in " << argument << " on rank " << bad << ": "
                          << words << std::endl;
                ++silent;
            }
        }
        if (const auto words = words_of([&] { make(false, comm); }); words != "works") {
            std::cerr << call << ", " << argument << ": " << words << std::endl;
            ++silent;
        }
    }
    if (comm.rank() == 0) {
        std::cout << all.size() << " pairs" << std::endl;
    }
    return silent;
}

std::string outcome(const Call& call, Input& input, const mpi::Communicator& comm) {
    return words_of([&] { call.make(input, comm); });
}

// Ends the job, naming the trial, when one lasts too long.
void watch(std::uint64_t seed) {
    for (int seen = -1;;) {
        const int now = trial_under_way;
        if (now < 0) {
            return;
        }
        if (now == seen) {
            std::cerr << "rank " << world_rank() << " hangs in trial " << now << " of seed " << seed
                      << std::endl;
            _exit(hang_status);
        }
        seen = now;
        for (auto slept = hanging; slept.count() > 0 && trial_under_way == seen;
             slept -= std::chrono::seconds(1)) {
            std::this_thread::sleep_for(std::chrono::seconds(1));
        }
    }
}

void try_one(std::uint64_t seed, int trial, const mpi::Communicator& comm,
             std::vector<int>& outcomes) {
    std::seed_seq seeds{seed, static_cast<std::uint64_t>(trial)};
    std::mt19937_64 common(seeds);
    const auto& call = calls()[common() % calls().size()];
    const int bad = static_cast<int>(common() % static_cast<std::uint64_t>(comm.size()));
    Input input(common(), bad == comm.rank());
    const auto words = outcome(call, input, comm);
    const bool good = words == "works" || words.starts_with("refused: ");
    if (!same_on_all_ranks(words) || !good) {
        std::cerr << "seed " << seed << ", trial " << trial << ", " << call.name << ", bad rank "
                  << bad << ", on rank " << comm.rank() << ": " << words.substr(0, 500)
                  << std::endl;
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    ++outcomes[words == "works" ? 0 : 1];
}

// How many calls with the right input end otherwise than in `expected` words.
int surprises(const std::string& expected, const mpi::Communicator& comm) {
    int others = 0;
    for (const auto& call : calls()) {
        Input right(0, false);
        const auto words = outcome(call, right, comm);
        if (!words.starts_with(expected)) {
            std::cerr << call.name << " with the right input: " << words << std::endl;
            ++others;
        }
    }
    return others;
}

}  // namespace

int main(int argc, char** argv) {
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    const auto seed = std::stoull(argv[1]);
    const int trials = std::stoi(argv[2]);
    folder = argv[3];
    std::thread watcher(watch, seed);
    const mpi::Communicator comm(MPI_COMM_WORLD);
    int others = surprises("works", comm) + silent_differences(comm);
    std::vector<int> outcomes(2);
    for (int trial = 0; trial < trials; ++trial) {
        trial_under_way = trial;
        try_one(seed, trial, comm, outcomes);
    }
    if (world_rank() == 0) {
        std::cout << outcomes[0] << " work, " << outcomes[1] << " are refused" << std::endl;
    }
    trial_under_way = -1;
    watcher.join();
    MPI_Finalize();
    others += surprises("thrown: MPI has been finalized", comm);
    return others == 0 ? 0 : 1;
}
