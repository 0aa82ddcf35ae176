// SPDX-License-Identifier: BSD-3-Clause
// A bundle of 8 fields of doubles from blocks along the first dimension to blocks along the second,
// whose fastest index is another one, by the library and by hand, in turns:
//     mpiexec -n 2 layouts EXTENT,EXTENT,EXTENT LAYOUT ROUNDS
// LAYOUT: blocks (the first index is the fastest on both sides), transposed (at the destination the
// second one) or reversed (the third one). Owners rewrite their fields before every move, and what
// has arrived is checked after it. By hand means: every rank fetches tiles of 8 by 8 cells from the
// arrays of their owners, or packs such tiles into messages.
// Prints a JSON object: seconds of the slowest rank, medians of the rounds, `WAY` and `WAY, used`.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/text/json.hpp"
#include "transrank/memory/array_memory.hpp"
#include "transrank/redistribution/redistribution.hpp"
#include "world.hpp"

namespace {

using namespace transrank;
using layout::BlockGrid;
using layout::Distribution;
using Index = std::int64_t;
using Extents = std::array<Index, 3>;

constexpr std::size_t fields = 8;
// A tile is a cache line by a cache line.
constexpr Index tile = 8;

Extents extents_of(const std::string& text) {
    Extents extents{};
    std::istringstream words(text);
    std::string word;
    for (auto& extent : extents) {
        std::getline(words, word, ',');
        extent = std::stoll(word);
    }
    return extents;
}

/// One field of all ranks: where the cells of a rank lie.
struct Side {
    BlockGrid grid;
    [[nodiscard]] std::vector<std::array<Index, 2>> ranges(int rank) const {
        const auto box = grid.box(rank);
        std::vector<std::array<Index, 2>> found;
        for (std::size_t d = 0; d < 3; ++d) {
            found.push_back({box[d].begin, box[d].end});
        }
        return found;
    }
    [[nodiscard]] layout::PerDimension<Index> strides(int rank) const {
        return grid.strides(grid.coordinates(rank));
    }
};

/// What two ranks share, as loops of any order.
struct Part {
    Extents counts{};
    Extents from{};  ///< strides
    Extents to{};
    Index from_begin = 0;
    Index to_begin = 0;
    [[nodiscard]] Index cells() const { return counts[0] * counts[1] * counts[2]; }
};

Part part_between(const Side& source, int sender, const Side& destination, int receiver) {
    Part part;
    const auto sent = source.ranges(sender);
    const auto wanted = destination.ranges(receiver);
    const auto from = source.strides(sender);
    const auto to = destination.strides(receiver);
    for (std::size_t d = 0; d < 3; ++d) {
        const auto begin = std::max(sent[d][0], wanted[d][0]);
        const auto end = std::min(sent[d][1], wanted[d][1]);
        part.counts[d] = std::max<Index>(end - begin, 0);
        part.from[d] = from[d];
        part.to[d] = to[d];
        part.from_begin += (begin - sent[d][0]) * from[d];
        part.to_begin += (begin - wanted[d][0]) * to[d];
    }
    return part;
}

std::size_t fastest(const Extents& strides) {
    return static_cast<std::size_t>(std::ranges::min_element(strides) - strides.begin());
}

/// `to[i * to_row + j] = from[i + j * from_column]`, tile by tile.
void turn_tiled(const double* from, Index from_column, double* to, Index to_row, Index rows,
                Index row_cells) {
    for (Index i = 0; i < rows; i += tile) {
        for (Index j = 0; j < row_cells; j += tile) {
            const auto i_end = std::min(i + tile, rows);
            const auto j_end = std::min(j + tile, row_cells);
            for (Index ii = i; ii < i_end; ++ii) {
                for (Index jj = j; jj < j_end; ++jj) {
                    to[(ii * to_row) + jj] = from[ii + (jj * from_column)];
                }
            }
        }
    }
}

/// As a program does it that knows of caches: tiles of 8 by 8 of the two fastest dimensions.
void copy_tiled(const double* from, double* to, const Part& part) {
    const auto a = fastest(part.to);
    const auto b = fastest(part.from);
    if (a != b) {
        const auto c = 3 - a - b;
        for (Index k = 0; k < part.counts[c]; ++k) {
            turn_tiled(from + (k * part.from[c]), part.from[a], to + (k * part.to[c]), part.to[b],
                       part.counts[b], part.counts[a]);
        }
        return;
    }
    const auto c = (a + 1) % 3;
    const auto d = (a + 2) % 3;
    for (Index k = 0; k < part.counts[d]; ++k) {
        for (Index j = 0; j < part.counts[c]; ++j) {
            std::copy_n(from + (k * part.from[d]) + (j * part.from[c]), part.counts[a],
                        to + (k * part.to[d]) + (j * part.to[c]));
        }
    }
}

/// The same with one side dense, in the order of the other.
Part packed(Part part, Extents Part::* side, Index Part::* begin, const Extents& like) {
    std::array<std::size_t, 3> order{0, 1, 2};
    std::ranges::sort(order, {}, [&](std::size_t d) { return like[d]; });
    Index next = 1;
    for (const auto d : order) {
        (part.*side)[d] = next;
        next *= part.counts[d];
    }
    part.*begin = 0;
    return part;
}

/// The bundle of a rank in memory of one kind.
struct Bundle {
    std::vector<double*> source;
    std::vector<double*> destination;
};

using Memory = std::vector<std::shared_ptr<memory::ArrayMemory>>;

Bundle allocated(Index source_cells, Index destination_cells, Memory& keep) {
    Bundle made;
    const auto add = [&](Index cells, std::vector<double*>& list) {
        keep.push_back(std::make_shared<memory::ArrayMemory>(
            std::max<std::size_t>(1, static_cast<std::size_t>(cells)) * sizeof(double)));
        list.push_back(reinterpret_cast<double*>(keep.back()->bytes().data()));
    };
    for (std::size_t field = 0; field < fields; ++field) {
        add(source_cells, made.source);
        add(destination_cells, made.destination);
    }
    return made;
}

/// MPI's shared memory: to the library arrays of the user's own.
class Window {
public:
    Window(Index source_cells, Index destination_cells)
        : source_cells_(source_cells), destination_cells_(destination_cells) {
        void* base = nullptr;
        MPI_Win_allocate_shared(bytes(), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window_);
    }
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;
    ~Window() { MPI_Win_free(&window_); }

    /// The bundle of a rank, which has as many cells as this one.
    [[nodiscard]] Bundle of(int rank) const {
        MPI_Aint size = 0;
        int unit = 0;
        double* next = nullptr;
        MPI_Win_shared_query(window_, rank, &size, &unit, static_cast<void*>(&next));
        Bundle found;
        for (std::size_t field = 0; field < fields; ++field) {
            found.source.push_back(next);
            next += source_cells_;
            found.destination.push_back(next);
            next += destination_cells_;
        }
        return found;
    }

private:
    [[nodiscard]] MPI_Aint bytes() const {
        return static_cast<MPI_Aint>((source_cells_ + destination_cells_) * Index{fields} *
                                     Index{sizeof(double)});
    }

    Index source_cells_;
    Index destination_cells_;
    MPI_Win window_ = MPI_WIN_NULL;
};

struct Setting {
    World world;
    Extents extents;
    Side source;
    Side destination;

    Setting(const Extents& wanted, std::vector<int> source_order,
            std::vector<int> destination_order)
        : extents(wanted),
          source{BlockGrid({Distribution::even(wanted[0], world.size),
                            Distribution::even(wanted[1], 1), Distribution::even(wanted[2], 1)},
                           {.memory_order = std::move(source_order)})},
          destination{BlockGrid(
              {Distribution::even(wanted[0], 1), Distribution::even(wanted[1], world.size),
               Distribution::even(wanted[2], 1)},
              {.memory_order = std::move(destination_order)})} {}

    [[nodiscard]] Index source_cells() const { return source.grid.units(world.rank); }
    [[nodiscard]] Index destination_cells() const { return destination.grid.units(world.rank); }
    [[nodiscard]] Part part(int sender, int receiver) const {
        return part_between(source, sender, destination, receiver);
    }
};

class ByLibrary {
public:
    ByLibrary(const Setting& setting, const Bundle& bundle)
        : redistribution_(MPI_COMM_WORLD, setting.source.grid, setting.destination.grid) {
        std::vector<copy::Field> all;
        for (std::size_t i = 0; i < fields; ++i) {
            all.push_back({.source = reinterpret_cast<const std::byte*>(bundle.source[i]),
                           .source_bytes = setting.source_cells() * Index{sizeof(double)},
                           .destination = reinterpret_cast<std::byte*>(bundle.destination[i]),
                           .destination_bytes = setting.destination_cells() * Index{sizeof(double)},
                           .unit_bytes = sizeof(double),
                           .scalar = copy::Scalar::float64,
                           .keep_alive = nullptr});
        }
        redistribution_.store(std::move(all));
    }
    void run() { redistribution_.run(); }

private:
    redistribution::Redistribution redistribution_;
};

/// Every rank fetches its cells from their owners' arrays, tile by tile.
void fetch(const Setting& setting, const Window& window) {
    const auto own = window.of(setting.world.rank);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int peer = 0; peer < setting.world.size; ++peer) {
        const auto part = setting.part(peer, setting.world.rank);
        const auto theirs = window.of(peer);
        for (std::size_t i = 0; i < fields; ++i) {
            copy_tiled(theirs.source[i] + part.from_begin, own.destination[i] + part.to_begin,
                       part);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/// One message for each peer, packed tile by tile in the order of its destination, by persistent
/// requests; the part that stays is copied meanwhile.
class ByHand {
public:
    ByHand(const Setting& setting, Bundle bundle) : setting_(setting), bundle_(std::move(bundle)) {
        const auto add = [&](int peer, const Part& part, const auto& init) {
            const auto cells = part.cells() * Index{fields};
            if (peer == setting_.world.rank || cells == 0) {
                buffers_.emplace_back();
                return;
            }
            buffers_.push_back(
                std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(cells)));
            init(buffers_.back().get(), static_cast<int>(cells), MPI_DOUBLE, peer, 1,
                 MPI_COMM_WORLD, &requests_.emplace_back());
        };
        const int rank = setting_.world.rank;
        for (int peer = 0; peer < setting_.world.size; ++peer) {
            add(peer, setting_.part(peer, rank), MPI_Recv_init);
        }
        receives_ = static_cast<int>(requests_.size());
        for (int peer = 0; peer < setting_.world.size; ++peer) {
            add(peer, setting_.part(rank, peer), MPI_Send_init);
        }
    }
    ByHand(const ByHand&) = delete;
    ByHand& operator=(const ByHand&) = delete;
    ~ByHand() {
        for (auto& request : requests_) {
            MPI_Request_free(&request);
        }
    }

    void run() {
        const int rank = setting_.world.rank;
        MPI_Startall(receives_, requests_.data());
        for (int peer = 0; peer < setting_.world.size; ++peer) {
            const auto part = setting_.part(rank, peer);
            const auto pack = packed(part, &Part::to, &Part::to_begin, part.to);
            if (peer != rank) {
                move(bundle_.source, buffer(setting_.world.size + peer, pack), pack);
            }
        }
        MPI_Startall(static_cast<int>(requests_.size()) - receives_, requests_.data() + receives_);
        move(bundle_.source, bundle_.destination, setting_.part(rank, rank));
        MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
        for (int peer = 0; peer < setting_.world.size; ++peer) {
            const auto part = setting_.part(peer, rank);
            const auto unpack = packed(part, &Part::from, &Part::from_begin, part.to);
            if (peer != rank) {
                move(buffer(peer, unpack), bundle_.destination, unpack);
            }
        }
    }

private:
    [[nodiscard]] std::vector<double*> buffer(int which, const Part& part) const {
        std::vector<double*> places;
        for (std::size_t i = 0; i < fields; ++i) {
            places.push_back(buffers_[static_cast<std::size_t>(which)].get() +
                             (static_cast<Index>(i) * part.cells()));
        }
        return places;
    }
    static void move(const std::vector<double*>& from, const std::vector<double*>& to,
                     const Part& part) {
        for (std::size_t i = 0; i < fields; ++i) {
            copy_tiled(from[i] + part.from_begin, to[i] + part.to_begin, part);
        }
    }

    const Setting& setting_;
    Bundle bundle_;
    std::vector<std::unique_ptr<double[]>> buffers_;
    std::vector<MPI_Request> requests_;
    int receives_ = 0;
};

/// What a cell of a field has in a round.
double value_of(Index cell, std::size_t field, int round) {
    return static_cast<double>((cell * Index{fields}) + static_cast<Index>(field)) + (0.5 * round);
}

/// Calls `visit(place, value)` with the cells of a rank in one field.
template <class Visit>
void for_each_cell(const Setting& setting, const Side& side, const Visit& visit) {
    const auto ranges = side.ranges(setting.world.rank);
    const auto strides = side.strides(setting.world.rank);
    std::array<std::size_t, 3> order{0, 1, 2};
    std::ranges::sort(order, {}, [&](std::size_t d) { return strides[d]; });
    Extents at{};
    Extents step{1, setting.extents[0], setting.extents[0] * setting.extents[1]};
    const auto [fast, middle, slow] = order;
    for (at[slow] = ranges[slow][0]; at[slow] < ranges[slow][1]; ++at[slow]) {
        for (at[middle] = ranges[middle][0]; at[middle] < ranges[middle][1]; ++at[middle]) {
            auto place = ((at[slow] - ranges[slow][0]) * strides[slow]) +
                         ((at[middle] - ranges[middle][0]) * strides[middle]);
            auto cell = (at[slow] * step[slow]) + (at[middle] * step[middle]) +
                        (ranges[fast][0] * step[fast]);
            for (Index i = ranges[fast][0]; i < ranges[fast][1]; ++i) {
                visit(place, cell);
                ++place;
                cell += step[fast];
            }
        }
    }
}

void rewrite(const Setting& setting, const Bundle& bundle, int round) {
    for (std::size_t field = 0; field < fields; ++field) {
        for_each_cell(setting, setting.source, [&](Index place, Index cell) {
            bundle.source[field][place] = value_of(cell, field, round);
        });
    }
}

void check(const Setting& setting, const Bundle& bundle, int round, const std::string& way) {
    Index wrong = 0;
    for (std::size_t field = 0; field < fields; ++field) {
        for_each_cell(setting, setting.destination, [&](Index place, Index cell) {
            wrong += bundle.destination[field][place] == value_of(cell, field, round) ? 0 : 1;
        });
    }
    if (wrong > 0) {
        throw std::logic_error(way + " brought " + std::to_string(wrong) + " wrong values");
    }
}

/// A value of a line brings it all.
double read(const Setting& setting, const Bundle& bundle) {
    const auto cells = setting.destination_cells();
    double sum = 0;
    for (const auto* field : bundle.destination) {
        for (Index i = 0; i < cells; i += tile) {
            sum += field[i];
        }
    }
    return sum;
}

double slowest(double seconds) {
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + (std::ssize(values) / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

struct Way {
    std::string name;
    Bundle bundle;
    std::function<void()> run;
};

void measure(const Setting& setting, const std::vector<Way>& ways, int rounds) {
    // The first runs of the library find out how to store.
    constexpr int settling = 9;
    std::map<std::string, std::vector<double>> times;
    volatile double seen = 0;
    for (const auto& way : ways) {
        for (int round = 0; round < settling; ++round) {
            way.run();
        }
    }
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < ways.size(); ++i) {
            const auto& way = ways[(i + static_cast<std::size_t>(round)) % ways.size()];
            rewrite(setting, way.bundle, round);
            MPI_Barrier(MPI_COMM_WORLD);
            const double begin = MPI_Wtime();
            way.run();
            const double moved = MPI_Wtime();
            seen = seen + read(setting, way.bundle);
            const double used = MPI_Wtime();
            times[way.name].push_back(slowest(moved - begin));
            times[way.name + ", used"].push_back(slowest(used - begin));
            check(setting, way.bundle, round, way.name);
        }
    }
    lab::text::JsonWriter json;
    json.begin_object();
    for (const auto& [name, values] : times) {
        json.key(name).value(median(values));
    }
    json.end_object();
    if (setting.world.rank == 0) {
        std::cout << json.text() << '\n';
    }
}

void measure(const Extents& extents, const std::string& layouts, int rounds) {
    const std::map<std::string, std::vector<int>> orders{
        {"blocks", {0, 1, 2}}, {"transposed", {1, 0, 2}}, {"reversed", {2, 1, 0}}};
    const Setting setting(extents, {0, 1, 2}, orders.at(layouts));
    Memory keep;
    const auto shared = allocated(setting.source_cells(), setting.destination_cells(), keep);
    const Window window(setting.source_cells(), setting.destination_cells());
    const auto own = window.of(setting.world.rank);
    ByLibrary by_library(setting, shared);
    ByLibrary in_own_memory(setting, own);
    ByHand by_hand(setting, own);
    measure(setting,
            {{"library", shared, [&] { by_library.run(); }},
             {"library, own memory", own, [&] { in_own_memory.run(); }},
             {"tiles fetched", own, [&] { fetch(setting, window); }},
             {"tiles packed", own, [&] { by_hand.run(); }}},
            rounds);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const std::vector<std::string> words(argv + 1, argv + argc);
    measure(extents_of(words.at(0)), words.at(1), std::stoi(words.at(2)));
    MPI_Finalize();
    return 0;
}
