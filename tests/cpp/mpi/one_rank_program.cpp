// SPDX-License-Identifier: BSD-3-Clause
// One rank passes something else to a collective call than it should: it works, or all ranks throw
// one error. After MPI_Finalize each call is refused, whatever it is passed. Run by
// test_one_rank.py: one_rank_program SEED TRIALS FOLDER.

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
#include "transrank/grid/ghosts.hpp"
#include "transrank/grid/grid.hpp"
#include "transrank/redistribution/redistribution.hpp"
#include "world.hpp"

using namespace testing;
using namespace transrank;

namespace {

using layout::BlockGrid;
using layout::Distribution;
using Numbers = std::vector<std::int64_t>;
using route::Route;

constexpr std::int64_t rows = 4;
constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

std::filesystem::path folder;

/// What this rank passes: what is right or, on the bad rank, either now and then something else or
/// in one argument a value that is as good in itself.
class Input {
public:
    Input() = default;
    explicit Input(std::uint64_t seed) : random_(seed) {}
    explicit Input(std::string differing) : differing_(std::move(differing)) {}

    bool is_wrong() { return random_ && below(3) == 0; }

    template <class T>
    T other(T right, std::vector<T> wrong) {
        return is_wrong() ? wrong[below(wrong.size())] : right;
    }

    /// An argument in which ranks may not differ; the first of the others is as good as it.
    template <class T>
    T agreed(const std::string& argument, T right, std::vector<T> others) {
        arguments_.insert(argument);
        return argument == differing_ ? others.front() : other(std::move(right), std::move(others));
    }

    const std::set<std::string>& agreed_arguments() const { return arguments_; }

    std::int64_t number(std::int64_t right) { return other(right, other_numbers(right)); }

    std::int64_t number(const std::string& agreed_argument, std::int64_t right) {
        return agreed(agreed_argument, right, other_numbers(right));
    }

    int small_number(const std::string& agreed_argument, int right, int as_good) {
        return agreed<int>(agreed_argument, right,
                           {as_good, 0, -1, 1, right + 1, std::numeric_limits<int>::max(),
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

    std::string name(const std::string& agreed_argument, const std::string& right,
                     const std::string& as_good) {
        return agreed<std::string>(
            agreed_argument, right,
            {as_good, "", "nosuch", "auto", "message", "shared-direct", "bruck", "linear-bounded",
             "two\nlines", std::string("a\0b", 3), std::string(3'000'000, 'x'), "\xff\xfe"});
    }

private:
    std::vector<std::int64_t> other_numbers(std::int64_t right) {
        return {right + 1,
                0,
                -1,
                1,
                right - 1,
                huge,
                -huge - 1,
                std::int64_t{1} << 31,
                std::int64_t{1} << 62,
                random_ ? static_cast<std::int64_t>((*random_)()) : 0};
    }

    std::size_t below(std::size_t end) { return static_cast<std::size_t>((*random_)() % end); }

    std::optional<std::mt19937_64> random_;
    std::string differing_ = "none";
    std::set<std::string> arguments_;
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
    return input.agreed<Distribution>(
        "owners", Distribution::even(extent, world_size()),
        {Distribution::block_cyclic(extent, world_size(), 2),
         Distribution::even(extent, world_size() + 1), Distribution::even(extent + 1, world_size()),
         Distribution::even(huge, world_size())});
}

// From a rank's rows to as many, so that the way back fits the same arrays.
Route ring(const mpi::Communicator& comm, std::int64_t count = rows) {
    const auto all = Distribution::even(rows * comm.size(), comm.size());
    const auto next = rows * ((comm.rank() + 1) % comm.size());
    return discovery::ghost_pull(comm, all, range(count, next), {.begin = 0, .extent = count});
}

std::vector<Route> other_routes(const mpi::Communicator& comm) {
    return {ring(comm, rows - 1), ring(comm).transposed(),
            Route(comm.rank(), comm.size(), rows, rows, {}, {}),
            Route(0, comm.size() + 1, rows, rows, {}, {}), Route(0, 1, 0, 0, {}, {})};
}

// The way back is as consistent, but another route.
Route some_route(Input& input, const mpi::Communicator& comm) {
    auto others = other_routes(comm);
    std::swap(others[0], others[1]);
    return input.agreed<Route>("route", ring(comm), others);
}

BlockGrid grid(Input& input, const std::string& argument, int along) {
    const auto made = [&](std::int64_t extent, std::vector<int> memory_order) {
        std::vector<Distribution> divided;
        for (const int dimension : {0, 1}) {
            divided.push_back(Distribution::even(dimension == 0 ? extent : rows * world_size(),
                                                 dimension == along ? world_size() : 1));
        }
        return BlockGrid(divided, {.memory_order = std::move(memory_order)});
    };
    const auto extent = rows * std::int64_t{world_size()};
    return input.agreed<BlockGrid>(
        argument, made(extent, {1, 0}),
        {made(extent, {0, 1}), made(extent + 1, {1, 0}), made(extent * 1000, {1, 0}),
         BlockGrid({Distribution::even(extent, world_size())}),
         BlockGrid({Distribution::even(huge, world_size())})});
}

layout::Order order(Input& input, const std::string& argument) {
    return input.agreed(argument, layout::Order::last_fastest, {layout::Order::first_fastest});
}

Numbers own_cells(const mpi::Communicator& comm) {
    const auto count = comm.size() * rows * rows;
    return range(count, comm.rank() * count);
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
        .scalar = input.agreed("scalar", copy::Scalar::int64,
                               {copy::Scalar::uint64, copy::Scalar::opaque, copy::Scalar::uint8})};
}

exchange::Options options(Input& input) {
    using copy::Operation;
    using Bytes = std::optional<std::int64_t>;
    const auto operation =
        input.agreed("operation", Operation::assign, {Operation::max, Operation::add});
    const auto transport = input.name("transport", "auto", "message");
    const auto push_below =
        input.agreed<Bytes>("push_below_bytes", 100, {7, std::nullopt, -1, 0, huge, -huge - 1});
    const auto stores = input.agreed("stores", copy::Stores::measured, {copy::Stores::cached});
    return {.operation = operation,
            .transport = transport,
            .push_below_bytes = push_below,
            .stores = stores,
            .longest_message_bytes = input.number("longest_message_bytes", 100)};
}

collective::AlltoallOptions alltoall_options(Input& input) {
    return {.algorithm = input.name("algorithm", "auto", "pairwise"),
            .choices = input.name("choices", "", "choices"),
            .radix = input.small_number("radix", 2, 3),
            .window = input.small_number("window", 8, 9),
            .leaders = input.small_number("leaders", 2, 3),
            .ranks_per_node = input.small_number("ranks_per_node", 0, 1),
            .torus = input.agreed<std::vector<int>>(
                "torus", {}, {{world_size()}, {0}, {-1, 1}, {world_size(), 2}})};
}

using Array = array::ParArray<double, array::dynamic_size>;
using Transformer = array::ArrayTransformer<double, array::dynamic_size>;

Transformer transformer(Input& input) {
    const auto father = std::make_shared<Array>();
    father->resize(input.other<std::int64_t>(rows, {0, 1, rows + 1}),
                   input.agreed<std::int64_t>("father", 3, {4, 0, 1}));
    Transformer made(MPI_COMM_WORLD);
    made.set_father_son(input.other<std::shared_ptr<Array>>(father, {nullptr}),
                        input.other(std::make_shared<Array>(), {nullptr, father}));
    made.create_global_mapping();
    return made;
}

// Two arrays of a block of two numbers for each rank, or the first for both.
struct BlockArrays {
    explicit BlockArrays(Input& in)
        : first(4 * ones().size()),
          second(first.size()),
          send(in.other(first.data(), {nullptr, second.data()})),
          receive(in.agreed("receive", second.data(), {first.data(), nullptr, first.data() + 1})) {}

    Numbers first;
    Numbers second;
    std::int64_t* send;
    std::int64_t* receive;
};

struct Call {
    const char* name;
    std::function<void(Input&, const mpi::Communicator&)> make;
};

const std::vector<Call>& calls() {
    static const std::vector<Call> all{
        {"Numbering",
         [](Input& in, const auto& comm) {
             const bool table = in.agreed("table", false, {true});
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
             (void)discovery::ghost_pull(comm, in.agreed("numbering", numbering, {even}),
                                         in.list(Numbers{0, 0}),
                                         {.begin = in.number(1), .extent = in.number(3)});
         }},
        {"ghost_push",
         [](Input& in, const auto& comm) {
             (void)discovery::ghost_push(comm, owners(in), in.list(Numbers{0, 1}),
                                         in.list(std::vector<int>{0, 0}), in.number(0));
         }},
        {"ghost_push of a numbering",
         [](Input& in, const auto& comm) {
             const discovery::Numbering even(comm, rows);
             const discovery::Numbering numbering(comm, comm.rank() + 1);
             (void)discovery::ghost_push(
                 comm, in.agreed("numbering", numbering, {even}), in.list(Numbers{0, 0}),
                 in.list(std::vector<int>{0, comm.size() - 1}), in.number(0));
         }},
        {"lists_to_lists",
         [](Input& in, const auto& comm) {
             (void)discovery::lists_to_lists(comm, in.list(range(rows, comm.rank() * rows)),
                                             in.list(Numbers{0, 1}));
         }},
        {"grid_to_lists",
         [](Input& in, const auto& comm) {
             const auto cells = in.list(range(2, 2 * comm.rank()));
             (void)discovery::grid_to_lists(
                 comm, grid(in, "source", 0),
                 {.cells = cells, .numbering = order(in, "destination")});
         }},
        {"lists_to_grid",
         [](Input& in, const auto& comm) {
             const auto cells = in.list(own_cells(comm));
             (void)discovery::lists_to_grid(comm,
                                            {.cells = cells, .numbering = order(in, "source")},
                                            grid(in, "destination", 1));
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
             const auto along = in.other(ring(comm), other_routes(comm));
             const auto arriving = discovery::arriving_rows(comm, along, source);
             const auto destination = mpi::agreed(
                 comm, [&] { return layout::Rows::variable(in.list(Numbers(rows, 3))); });
             (void)discovery::in_units(comm, along, arriving, source, destination);
         }},
        {"check_consistent",
         [](Input& in, const auto& comm) {
             discovery::check_consistent(comm, in.agreed("route", ring(comm), other_routes(comm)));
         }},
        {"save and load",
         [](Input& in, const auto& comm) {
             const auto wrong = in.other<std::string>(
                 "routes", {"", "nosuch", "two\nlines", std::string("a\0b", 3), "\xff"});
             const auto route = in.agreed("route", ring(comm), other_routes(comm));
             discovery::save(comm, route, folder / wrong);
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
         [](Input& in, const auto&) {
             const BlockArrays arrays(in);
             const collective::Alltoall bound(MPI_COMM_WORLD, arrays.send, arrays.receive,
                                              in.number("block_bytes", 16), alltoall_options(in));
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
         [](Input& in, const auto&) {
             const BlockArrays arrays(in);
             collective::alltoall(MPI_COMM_WORLD, arrays.send, arrays.receive,
                                  in.number("block_bytes", 16), alltoall_options(in));
         }},
        {"Redistribution of grids",
         [](Input& in, const auto& comm) {
             redistribution::Redistribution made(MPI_COMM_WORLD, grid(in, "source", 0),
                                                 grid(in, "destination", 1));
             Numbers source(static_cast<std::size_t>(comm.size() * rows * rows));
             Numbers destination(source.size());
             made.store({field(in, source, destination)}, options(in));
             made.run();
         }},
        {"route_between",
         [](Input& in, const auto&) {
             using route::Coverage;
             (void)redistribution::route_between(
                 MPI_COMM_WORLD, grid(in, "source", 0), grid(in, "destination", 1),
                 in.agreed("coverage", Coverage::owned, {Coverage::owned_and_halo}));
         }},
        {"Redistribution of points",
         [](Input& in, const auto& comm) {
             const redistribution::Points points{.cells = in.list(own_cells(comm)),
                                                 .numbering = order(in, "source")};
             (void)redistribution::route_between(MPI_COMM_WORLD, points,
                                                 grid(in, "destination", 1));
         }},
        {"ArrayTransformer by pulling",
         [](Input& in, const auto& comm) {
             auto made = transformer(in);
             made.create_ghost_mapping(in.list(Numbers{0, comm.rank()}));
             made.pull_once(options(in));
         }},
        {"ArrayTransformer by pushing",
         [](Input& in, const auto& comm) {
             auto made = transformer(in);
             made.create_ghost_mapping(in.list(Numbers{0, 1}),
                                       in.list(std::vector<int>{0, comm.size() - 1}));
             made.push_once(in.agreed("operation", copy::Operation::add, {copy::Operation::min}));
         }},
        {"ArrayTransformer whose updates are kept",
         [](Input& in, const auto& comm) {
             auto made = transformer(in);
             made.create_ghost_mapping(in.list(Numbers{0, comm.rank()}));
             made.init_persistent_pull(options(in)).run();
             made.init_persistent_push(copy::Operation::add, options(in)).run();
             made.bind_pull(options(in)).run();
             made.bind_push(in.other(copy::Operation::add, {copy::Operation::min}), {}).run();
             made.fit_son();
         }},
        // With ghosts whose place among the ghosts is that of their rows.
        {"ArrayTransformer in one direction",
         [](Input& in, const auto& comm) {
             auto made = transformer(in);
             made.create_ghost_mapping(range(2, rows * ((comm.rank() + 1) % comm.size())));
             (in.agreed("direction", false, {true}) ? made.bind_push(copy::Operation::assign, {})
                                                    : made.bind_pull({}))
                 .run();
         }},
        {"ArrayTransformer along a route",
         [](Input& in, const auto& comm) {
             auto made = transformer(in);
             made.use_route(some_route(in, comm));
             auto other = transformer(in);
             other.borrow_mapping(made);
         }},
        {"Grid",
         [](Input& in, const auto& comm) {
             using Widths = grid::PerAxis<grid::Width>;
             using Periods = grid::PerAxis<bool>;
             const Numbers shape{rows * comm.size(), rows * comm.size()};
             const grid::Grid made(
                 MPI_COMM_WORLD,
                 in.agreed("shape", shape, {{shape[0], shape[1] + 1}, {-1, 1}, {}, {1, huge}}),
                 {.halo = in.agreed<Widths>("halo", 1, {2, 0, -1, huge, {1, 2, 3}}),
                  .periodic = in.agreed<Periods>("periodic", true, {false, {true, false}}),
                  .parts = in.agreed<std::vector<int>>(
                      "parts", {comm.size(), 1}, {{1, comm.size()}, {comm.size() + 1, 1}, {0}})});
             auto cells = made.template array<double>();
             made.halo(in.agreed("fields", array::field(cells), {array::field(cells.data(), 2)}))
                 .run();
             made.update(cells);
         }},
        {"Grid whose cells move",
         [](Input& in, const auto& comm) {
             const grid::Grid made(MPI_COMM_WORLD, {rows * comm.size(), rows * comm.size()},
                                   {.parts = {comm.size(), 1}});
             const auto columns = made.with_parts({1, comm.size()});
             auto cells = made.template array<double>();
             auto moved = columns.template array<double>();
             const bool there = in.agreed("other", true, {false});
             auto& target = there ? moved : cells;
             made.to(there ? columns : made, cells, target);
             auto whole = made.gather(cells, in.small_number("root", 0, 1));
             whole.resize(in.other<std::size_t>(whole.size(), {0, 1, 1000}));
             made.scatter(whole, cells, in.small_number("source", 0, 1));
         }},
        {"Ghosts",
         [](Input& in, const auto& comm) {
             const auto wanted = in.list(Numbers{0, comm.rank(), 1});
             const grid::Ghosts made(MPI_COMM_WORLD, in.number(rows) % 100'000, wanted);
             auto cells = made.template array<double>();
             auto pairs = made.template array<double, 2>();
             made.halo(in.agreed("fields", array::field(cells), {array::field(pairs)})).run();
             made.update(cells);
             made.add(in.agreed("sums", array::field(cells), {array::field(pairs)}));
         }},
    };
    return all;
}

template <class Work>
std::string outcome_of(const Work& work) {
    try {
        work();
    } catch (const mpi::AgreedError& error) {
        return std::string("refused: ") + error.what();
    } catch (const std::exception& error) {
        return std::string("thrown: ") + error.what();
    }
    return "works";
}

std::string outcome(const Call& call, Input& input, const mpi::Communicator& comm) {
    return outcome_of([&] { call.make(input, comm); });
}

// How many pairs of a call and an argument in which one rank differs end otherwise than with one
// error of all ranks.
int silent_differences(const mpi::Communicator& comm) {
    int silent = 0;
    int pairs = 0;
    for (const auto& call : calls()) {
        Input right;
        (void)outcome(call, right, comm);
        for (const auto& argument : right.agreed_arguments()) {
            ++pairs;
            for (int bad = 0; bad < comm.size(); ++bad) {
                Input input = bad == comm.rank() ? Input(argument) : Input();
                const auto words = outcome(call, input, comm);
                if (!same_on_all_ranks(words) || !words.starts_with("refused: ")) {
                    std::cerr << call.name << " differs in " << argument << " on rank " << bad
                              << ": " << words << std::endl;
                    ++silent;
                }
            }
        }
    }
    if (comm.rank() == 0) {
        std::cout << pairs << " pairs" << std::endl;
    }
    return silent;
}

void try_one(std::uint64_t seed, int trial, const mpi::Communicator& comm,
             std::vector<int>& outcomes) {
    std::seed_seq seeds{seed, static_cast<std::uint64_t>(trial)};
    std::mt19937_64 common(seeds);
    const auto& call = calls()[common() % calls().size()];
    const int bad = static_cast<int>(common() % static_cast<std::uint64_t>(comm.size()));
    const auto drawn = common();
    if (bad == comm.rank()) {  // the last one that is told of hangs, where one does
        std::cerr << "seed " << seed << ", trial " << trial << ", " << call.name << std::endl;
    }
    Input input = bad == comm.rank() ? Input(drawn) : Input();
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
        Input right;
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
    const mpi::Communicator comm(MPI_COMM_WORLD);
    int others = surprises("works", comm) + silent_differences(comm) + surprises("works", comm);
    std::vector<int> outcomes(2);
    for (int trial = 0; trial < trials; ++trial) {
        try_one(seed, trial, comm, outcomes);
    }
    if (world_rank() == 0) {
        std::cout << outcomes[0] << " work, " << outcomes[1] << " are refused" << std::endl;
    }
    MPI_Finalize();
    others += surprises("thrown: MPI has been finalized", comm);
    return others == 0 ? 0 : 1;
}
