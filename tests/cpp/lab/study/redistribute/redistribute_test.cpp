// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3
// ESMF's route options in the redistribution study: each combination brings every field to where
// it belongs, by the messages that its name says. Seen through MPI's profiling interface.
#include "lab/measure/payload.hpp"
#include "lab/study/redistribute/partition.hpp"
#include "lab/study/study.hpp"
#include "testing.hpp"
#include "transrank/mpi/communicator.hpp"

using namespace transrank;
using namespace transrank::lab;
using study::redistribute::Partition;
using study::redistribute::partition_for;

namespace {

int messages = 0;
int under_way = 0;
int most_under_way = 0;

}  // namespace

extern "C" {
int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
    ++messages;
    most_under_way = std::max(most_under_way, ++under_way);
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}
int MPI_Wait(MPI_Request* request, MPI_Status* status) {
    under_way = 0;  // all is sent before anything is waited for
    return PMPI_Wait(request, status);
}
}

namespace {

constexpr int fields = 8;

/// Every combination, those on request too.
const std::set<std::string> ways = [] {
    std::set<std::string> all;
    for (const auto* mode : {"async-", "sync-"}) {
        for (const auto* packing : {"per-peer-", "per-run-", "none-"}) {
            for (const auto* bundle : {"together", "per-field"}) {
                all.insert(std::string(mode) + packing + bundle);
            }
        }
    }
    return all;
}();

struct Sent {
    int messages;
    int most_at_once;
};

/// Moves the bundle of a case twice and verifies it; what this rank sent in the second run.
Sent run(const study::Study& study, const measure::Case& point, const mpi::Communicator& comm) {
    const measure::Workspace workspace(point.send_bytes, point.receive_bytes,
                                       measure::CacheMode::warm);
    const auto operation = study.prepare(point, {comm, workspace, 100'000});
    operation->fill(1000);
    for (int i = 0; i < 2; ++i) {
        messages = 0;
        most_under_way = 0;
        operation->prepare();
        operation->run(1);
        CHECK(operation->verify(1) > 0);
    }
    return {.messages = messages, .most_at_once = most_under_way};
}

using Counts = std::map<std::string, Sent>;  // by way

Counts counts(const std::string& layouts, const std::string& phase, const std::string& mode) {
    const mpi::Communicator world(MPI_COMM_WORLD);
    const auto& study = study::find("redistribute");
    study::Selection selection;
    selection.axes = {{"grid", {"16x32x2"}},
                      {"layouts", {layouts}},
                      {"phase", {phase}},
                      {"mode", {mode}},
                      {"way", {ways.begin(), ways.end()}}};
    Counts found;
    for (const auto& point : study::select(study, selection, world.size(), measure::CacheMode::warm,
                                           std::int64_t{1} << 30)) {
        CAPTURE(point.id());
        REQUIRE(point.skip_reason.empty());
        found[point.text("way")] = run(study, point, world);
    }
    REQUIRE(found.size() == ways.size());
    return found;
}

}  // namespace

TEST_CASE("every combination moves every bundle, stored once and stored anew each time") {
    for (const auto* layouts : {"blocks", "blocks-to-lists", "lists-to-blocks"}) {
        counts(layouts, "run", "used");
    }
    counts("blocks", "store", "unmodified");
}

TEST_CASE("a message per run is one per peer for blocks, and per run where cells are listed") {
    auto blocks = counts("blocks", "run", "rewritten");
    auto lists = counts("blocks-to-lists", "run", "rewritten");
    for (const std::string mode : {"async-", "sync-"}) {
        const int peers = blocks[mode + "per-peer-together"].messages;
        CHECK(blocks[mode + "per-run-together"].messages == peers);
        CHECK(blocks[mode + "per-peer-per-field"].messages == fields * peers);
        CHECK(blocks[mode + "per-run-per-field"].messages == fields * peers);
        CHECK(blocks[mode + "none-together"].messages >= fields * peers);

        const int runs = lists[mode + "per-run-together"].messages;
        CHECK(runs >= lists[mode + "per-peer-together"].messages);
        CHECK(lists[mode + "per-run-per-field"].messages == fields * runs);
        CHECK(lists[mode + "none-together"].messages == fields * runs);
        CHECK(lists[mode + "none-per-field"].messages == fields * runs);
    }
}

TEST_CASE("async has all messages of a bundle under way at once, sync one") {
    for (const auto& [way, sent] : counts("blocks", "run", "rewritten")) {
        CAPTURE(way);
        const bool per_field = way.ends_with("per-field");
        const int at_once = way.starts_with("sync") ? std::min(sent.messages, 1)
                            : per_field             ? sent.messages / fields
                                                    : sent.messages;
        CHECK(sent.most_at_once == at_once);
    }
}

// Partitions of the redistribution benchmark: the published ones, and elsewhere those that keep
// least, counted cell by cell.

namespace {

constexpr study::redistribute::Grid grid{.extents = {24, 36, 2}};

/// Cells of the first layer that stay on their rank.
std::int64_t kept(const Partition& partition) {
    const auto source = study::redistribute::layout_of(grid, partition.source);
    const auto destination = study::redistribute::layout_of(grid, partition.destination);
    const auto owner = [](const auto& layout, std::int64_t i, std::int64_t j) {
        return layout.rank({layout.distribution(0).stretch(i).part,
                            layout.distribution(1).stretch(j).part, 0, 0, 0, 0});
    };
    std::int64_t cells = 0;
    for (std::int64_t i = 0; i < grid.extents[0]; ++i) {
        for (std::int64_t j = 0; j < grid.extents[1]; ++j) {
            cells += owner(source, i, j) == owner(destination, i, j) ? 1 : 0;
        }
    }
    return cells;
}

}  // namespace

TEST_CASE("where nothing was published, no other partition keeps fewer cells on their rank") {
    for (const int ranks : {1, 2, 3, 5, 6, 12}) {
        CAPTURE(ranks);
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        for (int one = 1; one <= ranks; ++one) {
            for (int other = 1; other <= ranks; ++other) {
                if (ranks % one == 0 && ranks % other == 0) {
                    least = std::min(least, kept({.source = {one, ranks / one, 1},
                                                  .destination = {other, ranks / other, 1}}));
                }
            }
        }
        const auto chosen = partition_for(grid, ranks);
        CHECK(chosen.source[0] * chosen.source[1] == ranks);
        CHECK(chosen.destination[0] * chosen.destination[1] == ranks);
        CHECK(kept(chosen) == least);
    }
}

TEST_CASE("where partitions were published, they are taken") {
    const auto chosen = partition_for(grid, 32);
    CHECK(study::redistribute::text(chosen.source) == "4x8");
    CHECK(study::redistribute::text(chosen.destination) == "16x2");
}
