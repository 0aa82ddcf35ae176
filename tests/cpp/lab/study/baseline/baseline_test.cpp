// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3
// What holds for every row of the table of baselines.
#include "lab/study/baseline/baseline.hpp"

#include "../../../exchange/pattern.hpp"
#include "lab/study/baseline/rma_window.hpp"
#include "transrank/memory/shared_segment.hpp"
#include "transrank/route/redistribution.hpp"
#include "world.hpp"

using namespace transrank;
using namespace transrank::lab;
using study::baseline::Description;
using testing::world;

namespace {

int made_each_time = 0;

}  // namespace

// Through MPI's profiling interface.
extern "C" int MPI_Ineighbor_alltoallv(const void* out, const int* n, const int* d, MPI_Datatype t,
                                       void* in, const int* m, const int* e, MPI_Datatype u,
                                       MPI_Comm comm, MPI_Request* request) {
    ++made_each_time;
    return PMPI_Ineighbor_alltoallv(out, n, d, t, in, m, e, u, comm, request);
}

namespace {

using testing::Pattern;

constexpr double untouched = -1;

/// A box of three dimensions from each rank to each, in units of one cell.
Pattern boxes(int ranks) {
    using layout::Distribution;
    const auto grid = [&](int first, int second) {
        return layout::BlockGrid(
            {Distribution::even(8, first), Distribution::even(6, second), Distribution::even(5, 1)},
            {.memory_order = {0, 1, 2}});
    };
    const auto source = grid(ranks, 1);
    const auto destination = grid(1, ranks);
    Pattern pattern(ranks);
    for (int rank = 0; rank < ranks; ++rank) {
        pattern.source_units[static_cast<std::size_t>(rank)] = source.units(rank);
        pattern.destination_units[static_cast<std::size_t>(rank)] = destination.units(rank);
        const auto route = route::redistribution(rank, ranks, source, destination);
        for (const auto& leg : route.sends()) {
            pattern.legs[{rank, leg.peer}] = {leg.segments.begin(), leg.segments.end()};
        }
    }
    return pattern;
}

std::vector<Pattern> patterns(int ranks) {
    testing::Random random(5);
    return {boxes(ranks), testing::random_segments(random, ranks, false),
            testing::random_lists(random, ranks, false)};
}

std::int64_t largest(const std::vector<std::int64_t>& units) {
    return *std::ranges::max_element(units);
}

/// Arrays of some fields that node-mates can map, as long on every rank: what is copied within a
/// rank lies where it lies in another one's.
class Arrays {
public:
    Arrays(const Pattern& pattern, int fields, std::int64_t doubles)
        : fields_(fields),
          doubles_(doubles),
          units_(std::max({std::int64_t{1}, largest(pattern.source_units),
                           largest(pattern.destination_units)})),
          memory_(static_cast<std::size_t>(2 * fields * units_ * doubles) * sizeof(double)) {}

    [[nodiscard]] std::vector<copy::Field> fields() const {
        std::vector<copy::Field> all;
        for (int i = 0; i < fields_; ++i) {
            const auto source = std::as_bytes(of(i));
            const auto destination = std::as_writable_bytes(of(fields_ + i));
            const auto bytes = static_cast<std::int64_t>(source.size());
            all.push_back({.source = source.data(),
                           .source_bytes = bytes,
                           .destination = destination.data(),
                           .destination_bytes = bytes,
                           .unit_bytes = doubles_ * static_cast<std::int64_t>(sizeof(double)),
                           .scalar = copy::Scalar::float64});
        }
        return all;
    }

    static double value(int rank, int field, std::int64_t place, int round) {
        return static_cast<double>((((round * 16) + rank) * 16) + field) * 1e5 +
               static_cast<double>(place);
    }

    void write(int rank, int round) const {
        for (int field = 0; field < fields_; ++field) {
            for (std::int64_t i = 0; i < units_ * doubles_; ++i) {
                of(field)[static_cast<std::size_t>(i)] = value(rank, field, i, round);
            }
            std::ranges::fill(of(fields_ + field), untouched);
        }
    }

    /// What the destinations are to hold when `route` has been moved, from the first one on.
    [[nodiscard]] std::vector<double> expected(const route::Route& route, int round) const {
        const auto length = static_cast<std::size_t>(units_ * doubles_);
        std::vector<double> all(static_cast<std::size_t>(fields_) * length, untouched);
        for (int field = 0; field < fields_; ++field) {
            const std::span own(all.data() + (static_cast<std::size_t>(field) * length), length);
            for (const auto& leg : route.receives()) {
                Pattern::visit({leg.segments.begin(), leg.segments.end()},
                               [&](std::int64_t source, std::int64_t destination) {
                                   for (std::int64_t i = 0; i < doubles_; ++i) {
                                       own[static_cast<std::size_t>((destination * doubles_) + i)] =
                                           value(leg.peer, field, (source * doubles_) + i, round);
                                   }
                               });
            }
        }
        return all;
    }

    [[nodiscard]] std::vector<double> found() const {
        const auto first = of(fields_);
        return {first.data(), first.data() + (static_cast<std::size_t>(fields_) * first.size())};
    }

private:
    [[nodiscard]] std::span<double> of(int array) const {
        const auto length = static_cast<std::size_t>(units_ * doubles_);
        return {reinterpret_cast<double*>(memory_.bytes().data()) +
                    (static_cast<std::size_t>(array) * length),
                length};
    }

    int fields_;
    std::int64_t doubles_;
    std::int64_t units_;
    memory::SharedSegment memory_;
};

void try_out(const study::baseline::Entry& entry, const study::baseline::Task& task,
             const Arrays& arrays) {
    const auto mover = entry.make(task);
    for (int round = 1; round <= 2; ++round) {
        mover->before_rewriting();
        arrays.write(task.comm.rank(), round);
        mover->after_rewriting();
        mover->run();
        CHECK(arrays.found() == arrays.expected(mover->route(), round));
        MPI_Barrier(task.comm.handle());  // nobody rewrites what others still compare
    }
}

}  // namespace

TEST_CASE("every baseline moves what its route says, again and again") {
    struct Kind {
        Description description;
        int fields;
    };
    for (const auto& pattern : patterns(world().size())) {
        for (const auto& [description, fields] : {Kind{Description::rows, 1},
                                                  {Description::rows, 3},
                                                  {Description::segments, 1},
                                                  {Description::boxes, 3}}) {
            const Arrays arrays(pattern, fields, fields == 1 ? 5 : 1);
            const study::baseline::Task task{.comm = world(),
                                             .route = pattern.route(world().rank()),
                                             .fields = arrays.fields(),
                                             .description = description};
            for (const auto& entry : study::baseline::all()) {
                CAPTURE(entry.name);
                CAPTURE(fields);
                if (study::baseline::reason_against(entry.name).empty()) {
                    try_out(entry, task, arrays);
                }
            }
        }
    }
}

TEST_CASE("the collective of a neighborhood is made once where MPI has persistent ones") {
    const auto pattern = boxes(world().size());
    const Arrays arrays(pattern, 1, 1);
    const auto* entry = study::baseline::find("neighborhood");
    made_each_time = 0;
    try_out(*entry,
            {.comm = world(),
             .route = pattern.route(world().rank()),
             .fields = arrays.fields(),
             .description = Description::rows},
            arrays);
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
    const bool persistent = true;
#else
    const bool persistent = false;
#endif
    CHECK(made_each_time == (persistent ? 0 : 2));
    CHECK((entry->summary.find("persistent") != std::string_view::npos) == persistent);
}

TEST_CASE("a floor stays within its rank, and whatever else moves its task's route") {
    const auto pattern = boxes(world().size());
    const Arrays arrays(pattern, 2, 1);
    const study::baseline::Task task{.comm = world(),
                                     .route = pattern.route(world().rank()),
                                     .fields = arrays.fields(),
                                     .description = Description::boxes};
    for (const auto& entry : study::baseline::all()) {
        CAPTURE(entry.name);
        if (!study::baseline::reason_against(entry.name).empty()) {
            continue;
        }
        const auto mover = entry.make(task);
        if (entry.own_memory) {
            for (const auto& leg : mover->route().receives()) {
                CHECK(leg.peer == world().rank());
            }
        } else {
            CHECK(mover->route() == task.route);
        }
    }
}

TEST_CASE("sources that peers cannot map are refused on every rank") {
    std::vector<double> source(8);
    std::vector<double> destination(8);
    const int next = (world().rank() + 1) % world().size();
    const int previous = (world().rank() + world().size() - 1) % world().size();
    const route::Segment all{.length = 8};
    const study::baseline::Task task{
        .comm = world(),
        .route = {world().rank(),
                  world().size(),
                  8,
                  8,
                  {{.peer = next, .segments = {all}}},
                  {{.peer = previous, .segments = {all}}}},
        .fields = {{.source = std::as_bytes(std::span(source)).data(),
                    .source_bytes = 64,
                    .destination = std::as_writable_bytes(std::span(destination)).data(),
                    .destination_bytes = 64,
                    .unit_bytes = 8,
                    .scalar = copy::Scalar::float64}},
        .description = Description::rows};
    for (const auto& entry : study::baseline::all()) {
        if (entry.shared) {
            CHECK_THROWS_WITH_AS((void)entry.make(task),
                                 doctest::Contains("memory that other ranks cannot map"),
                                 mpi::AgreedError);
        }
    }
}

TEST_CASE("the names of baselines are unique, and found") {
    std::set<std::string_view> names;
    for (const auto& entry : study::baseline::all()) {
        names.insert(entry.name);
        CHECK(study::baseline::find(entry.name) == &entry);
    }
    CHECK(names.size() == study::baseline::all().size());
    CHECK(study::baseline::find("auto") == nullptr);
}

TEST_CASE("a rank that unwinds for an error does not wait for others to free a window") {
    static std::array<std::byte, 64> memory{};  // others may reach it as long as there is a window
    const auto fail = [&] {
        const lab::study::Window window(memory, 1, world());
        if (world().rank() != 0) {
            MPI_Barrier(world().handle());
        }
        throw std::runtime_error("an error");
    };
    CHECK_THROWS_AS(fail(), std::runtime_error);
    if (world().rank() == 0) {
        MPI_Barrier(world().handle());
    }
}
