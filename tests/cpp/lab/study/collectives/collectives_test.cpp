// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3 4
#include "lab/measure/payload.hpp"
#include "lab/study/collectives/contents.hpp"
#include "lab/study/study.hpp"
#include "testing.hpp"

using namespace transrank;
using namespace transrank::lab;
using study::Selection;
using study::collectives::Roots;

namespace {

constexpr std::int64_t gibibyte = 1'073'741'824;

std::vector<measure::Case> cases(const Selection& selection, int ranks,
                                 std::int64_t memory_bytes = gibibyte) {
    return study::select(study::find("collectives"), selection, ranks, measure::CacheMode::warm,
                         memory_bytes);
}

Selection only(const std::string& operation, std::vector<std::int64_t> sizes = {}) {
    return {.sizes = std::move(sizes),
            .axes = {{"operation", {operation}}, {"form", {"blocking"}}}};
}

/// Every operation, form, type of number, reduction and way of choosing the root.
Selection everything(std::vector<std::int64_t> sizes) {
    return {.sizes = std::move(sizes),
            .axes = {{"form", {"blocking", "nonblocking", "persistent", "in-place"}},
                     {"datatype", {"float", "double", "int", "int8"}},
                     {"reduction", {"sum", "max"}},
                     {"root", {"fixed", "rotating"}}}};
}

bool has_axis(const measure::Case& point, std::string_view name) {
    return std::ranges::find(point.axes, name, &measure::Axis::name) != point.axes.end();
}

/// What an operation is by the MPI standard: blocks in each buffer on `ranks` ranks, and which
/// ranks receive.
struct Standard {
    std::string operation;
    std::int64_t sends;     ///< blocks
    std::int64_t receives;  ///< blocks
    char receivers;  ///< e every rank, r the root, o all others, s each its share, a all but rank 0
};

std::vector<Standard> standard(int ranks) {
    return {
        {.operation = "allreduce", .sends = 1, .receives = 1, .receivers = 'e'},
        {.operation = "reduce", .sends = 1, .receives = 1, .receivers = 'r'},
        {.operation = "reduce_scatter", .sends = 1, .receives = 1, .receivers = 's'},
        {.operation = "reduce_scatter_block", .sends = ranks, .receives = 1, .receivers = 'e'},
        {.operation = "scan", .sends = 1, .receives = 1, .receivers = 'e'},
        {.operation = "exscan", .sends = 1, .receives = 1, .receivers = 'a'},
        {.operation = "allgather", .sends = 1, .receives = ranks, .receivers = 'e'},
        {.operation = "allgatherv", .sends = 1, .receives = ranks, .receivers = 'e'},
        {.operation = "gather", .sends = 1, .receives = ranks, .receivers = 'r'},
        {.operation = "gatherv", .sends = 1, .receives = ranks, .receivers = 'r'},
        {.operation = "scatter", .sends = ranks, .receives = 1, .receivers = 'e'},
        {.operation = "scatterv", .sends = ranks, .receives = 1, .receivers = 'e'},
        {.operation = "alltoall", .sends = ranks, .receives = ranks, .receivers = 'e'},
        {.operation = "alltoallv", .sends = ranks, .receives = ranks, .receivers = 'e'},
        {.operation = "alltoallw", .sends = ranks, .receives = ranks, .receivers = 'e'},
        {.operation = "bcast", .sends = 1, .receives = 1, .receivers = 'o'},
        {.operation = "barrier", .sends = 0, .receives = 0, .receivers = 'e'},
    };
}

/// One case on all ranks of MPI_COMM_WORLD.
struct Bench {
    explicit Bench(const measure::Case& measured)
        : point(measured),
          workspace(measured.send_bytes, measured.receive_bytes, measure::CacheMode::warm),
          operation(study::find("collectives")
                        .prepare(point, {.comm = comm,
                                         .workspace = workspace,
                                         .largest_bytes = measured.receive_bytes})) {}

    /// The first `bytes` of what calls receive into.
    [[nodiscard]] std::span<std::byte> received(std::uint64_t bytes) const {
        return workspace
            .receive(0, std::max(point.send_bytes, point.receive_bytes), point.receive_bytes)
            .first(bytes);
    }

    /// As they are timed.
    void call(int times) const {
        for (int i = 0; i < times; ++i) {
            operation->prepare();
            operation->run(1);
        }
    }

    measure::Case point;
    mpi::Communicator comm{MPI_COMM_WORLD};
    measure::Workspace workspace;
    std::unique_ptr<measure::Operation> operation;
};

/// Of a vector of so many bytes, those of elements of `element` bytes that `rank` receives where
/// the ranks share it: the first ranks one more than the last ones.
std::int64_t share(std::int64_t bytes, std::int64_t element, int rank, int ranks) {
    std::int64_t mine = 0;
    for (std::int64_t i = 0; i < bytes / element; ++i) {
        mine += i % ranks == rank ? element : 0;
    }
    return mine;
}

std::int64_t element_bytes(const measure::Case& point) {
    const auto& name = point.text("datatype");
    return name == "double" ? 8 : name == "int8" ? 1 : 4;
}

/// Bytes that this rank has received in the first call, or in a call for each root.
std::uint64_t expected_bytes(const Bench& bench, int calls) {
    const int rank = bench.comm.rank();
    const int ranks = bench.comm.size();
    const auto rows = standard(ranks);
    const auto row = std::ranges::find(rows, bench.point.text("operation"), &Standard::operation);
    const bool rotating = has_axis(bench.point, "root") && bench.point.text("root") == "rotating";
    const int roots = rotating ? calls : 1;  // ranks 0 ... roots - 1 have been it
    const bool receives =
        row->receivers == 'e' || row->receivers == 's' || (row->receivers == 'r' && rank < roots) ||
        (row->receivers == 'o' && (rank > 0 || roots > 1)) || (row->receivers == 'a' && rank > 0);
    if (!receives || row->receives == 0) {
        return 0;
    }
    const auto bytes = bench.point.number("bytes");
    return static_cast<std::uint64_t>(row->receivers == 's'
                                          ? share(bytes, element_bytes(bench.point), rank, ranks)
                                          : bytes * row->receives);
}

/// Collective. Makes each case that this MPI can run, and hands it over.
template <class Check>
void for_each_case(const Selection& selection, const Check& check) {
    const mpi::Communicator world(MPI_COMM_WORLD);
    int checked = 0;
    for (const auto& point : cases(selection, world.size())) {
        CAPTURE(point.id());
        if (point.skip_reason.empty()) {
            check(Bench(point));
            ++checked;
        }
    }
    CHECK(checked > 0);
}

}  // namespace

TEST_CASE("by default there are all operations and forms with the sizes of IMB") {
    const auto points = cases({}, 4);
    std::set<std::string> ids;
    std::set<std::string> groups;
    for (const auto& point : points) {
        ids.insert(point.id());
        groups.insert(point.group);
        CHECK(point.group == "collectives/" + point.text("operation"));
    }
    // Reductions of float: 0, 4, 8 ... 4 MiB; the rest: 0, 1, 2 ... 4 MiB; barrier: no size.
    CHECK(points.size() == 3 * ((6 * 22) + (10 * 24) + 1));
    CHECK(ids.size() == points.size());
    CHECK(groups.size() == 17);
    CHECK(ids.contains("collectives/allreduce/blocking/float/0B"));
    CHECK(ids.contains("collectives/reduce/nonblocking/float/fixed/4MiB"));
    CHECK(ids.contains("collectives/alltoallv/persistent/1B"));
    CHECK(ids.contains("collectives/bcast/blocking/fixed/64KiB"));
    CHECK(ids.contains("collectives/barrier/nonblocking"));
    CHECK_FALSE(ids.contains("collectives/allreduce/blocking/float/2B"));
}

TEST_CASE("other types of number and rotating roots come on request") {
    Selection selection = only("reduce");
    selection.axes["datatype"] = {"int8", "double"};
    selection.axes["root"] = {"rotating"};
    const auto points = cases(selection, 2);
    CHECK(points.size() == 21 + 24);
    CHECK(points.front().id() == "collectives/reduce/blocking/double/rotating/0B");
    CHECK(points[1].id() == "collectives/reduce/blocking/double/rotating/8B");
    CHECK(points.back().id() == "collectives/reduce/blocking/int8/rotating/4MiB");

    selection.axes["datatype"] = {"char"};
    CHECK_THROWS_WITH_AS(cases(selection, 2),
                         "unknown datatype 'char'; known: float double int int8",
                         std::invalid_argument);
}

TEST_CASE("in place and as a maximum come on request, the latter with an axis of its own") {
    Selection selection = only("allreduce", {8});
    selection.axes["form"] = {"in-place"};
    selection.axes["reduction"] = {"max", "sum"};
    const auto points = cases(selection, 2);
    REQUIRE(points.size() == 2);
    CHECK(points[0].id() == "collectives/allreduce/in-place/float/8B");
    CHECK(points[1].id() == "collectives/allreduce/in-place/float/max/8B");

    selection = only("bcast", {8});
    selection.axes["form"] = {"in-place"};
    CHECK(cases(selection, 2).front().skip_reason ==
          "MPI_Bcast does not take MPI_IN_PLACE on every rank");
}

TEST_CASE("a case counts the bytes of its send buffer and needs no more memory than it uses") {
    constexpr int ranks = 5;
    for (const auto& row : standard(ranks)) {
        const auto points = cases(only(row.operation, {4096}), ranks);
        REQUIRE(points.size() == 1);
        const auto& point = points.front();
        CAPTURE(point.id());
        const auto received = row.receivers == 's' ? share(4096, element_bytes(point), 0, ranks)
                                                   : row.receives * 4096;
        CHECK(point.send_bytes == row.sends * 4096);
        CHECK(point.receive_bytes == received);
        CHECK(point.bytes_counted == static_cast<double>(row.sends * 4096));
        CHECK(point.timing == (row.operation == "barrier" ? measure::TimingKind::bulk
                                                          : measure::TimingKind::single));
        CHECK(point.clocks == measure::Clocks::all);
        CHECK(point.operations_per_repetition == 1);

        const auto needed =
            measure::Workspace::footprint(row.sends * 4096, received, measure::CacheMode::warm);
        if (row.sends > 0) {
            CHECK(cases(only(row.operation, {4096}), ranks, needed).front().skip_reason.empty());
            CHECK_FALSE(
                cases(only(row.operation, {4096}), ranks, needed - 1).front().skip_reason.empty());
        }
    }
}

TEST_CASE("what a call cannot do is skipped and says why") {
    const std::int64_t large = 2 * gibibyte;
    const auto reason = [](const Selection& selection, int ranks) {
        return cases(selection, ranks, 100 * gibibyte).front().skip_reason;
    };
    CHECK(reason(only("allreduce", {6}), 2) == "6B is no multiple of the 4B of a float");
    CHECK(reason(only("allreduce", {large}), 2).empty());
    CHECK(reason(only("allreduce", {4 * large}), 2) ==
          "a call takes at most 2^31 - 1 elements of one rank");
    CHECK(reason(only("alltoall", {large - 1}), 2).empty());
    CHECK(reason(only("alltoall", {large}), 2) ==
          "a call takes at most 2^31 - 1 elements of one rank");
    CHECK(reason(only("gatherv", {large / 4}), 3).empty());
    CHECK(reason(only("gatherv", {large / 4}), 4) ==
          "the displacements of MPI_Gatherv end at 2^31 - 1 bytes");
    CHECK(reason(only("gather", {large / 4}), 4).empty());

    auto bytes = only("allreduce", {8});
    bytes.axes["datatype"] = {"int8"};
    CHECK(reason(bytes, 127).empty());
    CHECK(reason(bytes, 128) == "sums of int8 over more than 127 ranks cannot be verified");
}

namespace {

constexpr auto invented = study::collectives::forms_of(
    [](const study::collectives::Call& call) { return std::tuple(call.comm); },
    [](auto... /*of_call*/) { return MPI_SUCCESS; },
    [](auto... /*of_call*/) { return MPI_SUCCESS; },
    [](auto... of_call)
        requires requires { MPI_Operation_that_no_mpi_has_init(of_call...); }
    { return MPI_Operation_that_no_mpi_has_init(of_call...); });

}  // namespace

TEST_CASE("a persistent form that mpi.h does not declare is absent") {
    CHECK(study::collectives::find("alltoallv").mpi_name("_init") == "MPI_Alltoallv_init");
    CHECK_THROWS_AS((void)study::collectives::find("sum"), std::invalid_argument);
    CHECK_FALSE(static_cast<bool>(invented.persistent));
    for (const auto& row : study::collectives::all()) {
        CAPTURE(row.name);
        CHECK(static_cast<bool>(row.forms.blocking));
        CHECK(static_cast<bool>(row.forms.nonblocking));
#if MPI_VERSION >= 4
        CHECK(static_cast<bool>(row.forms.persistent));
#endif
    }
    for (const auto& point : cases({.sizes = {}, .axes = {{"form", {"persistent"}}}}, 2)) {
        const auto& row = study::collectives::find(point.text("operation"));
        const auto expected = row.forms.persistent == nullptr
                                  ? "this MPI has no " + row.mpi_name("_init")
                                  : std::string();
        CHECK(point.skip_reason == expected);
    }
}

TEST_CASE("rotating roots remember who has been root since the buffers were filled") {
    for (const int ranks : {1, 2, 3, 5}) {
        Roots roots(ranks);
        std::vector<int> since;
        for (int call = 0; call < 12; ++call) {
            if (call == 4) {
                roots.forget();
                since.clear();
            }
            for (int rank = 0; rank < ranks + 1; ++rank) {
                const bool has_been = std::ranges::find(since, rank) != since.end();
                const auto other = std::ranges::find_if(since.rbegin(), since.rend(),
                                                        [&](int root) { return root != rank; });
                CHECK(roots.has_been(rank) == has_been);
                CHECK(roots.last_but(rank) ==
                      (other == since.rend() ? std::nullopt : std::optional(*other)));
            }
            CHECK(roots.last() == (since.empty() ? std::nullopt : std::optional(since.back())));
            since.push_back(call % ranks);
            CHECK(roots.next() == since.back());
        }
    }
}

TEST_CASE("every rank verifies exactly what it has received, in every case") {
    const mpi::Communicator world(MPI_COMM_WORLD);
    for_each_case(everything({0, 8, 1000, 4096}), [&](const Bench& bench) {
        bench.operation->fill(1);
        bench.call(1);
        CHECK(bench.operation->verify(1) == expected_bytes(bench, 1));
        bench.operation->fill(2);
        bench.call(world.size());
        CHECK(bench.operation->verify(world.size()) == expected_bytes(bench, world.size()));
    });
}

TEST_CASE("wrong bytes, those of an earlier iteration and what never arrived are noticed") {
    for_each_case(everything({8, 64, 1000}), [](const Bench& bench) {
        const auto notices = [&] {
            CHECK_THROWS_AS((void)bench.operation->verify(1), measure::WrongPayload);
        };
        bench.operation->fill(2);
        bench.call(bench.comm.size());
        const auto received = bench.received(expected_bytes(bench, bench.comm.size()));
        const std::vector<std::byte> earlier(received.begin(), received.end());
        bench.operation->fill(1);
        bench.call(bench.comm.size());
        if (received.empty()) {
            return;
        }
        const std::vector<std::byte> right(received.begin(), received.end());
        for (const std::size_t place : {std::size_t{0}, received.size() / 2, received.size() - 1}) {
            received[place] ^= std::byte{1};
            notices();
            received[place] ^= std::byte{1};
        }
        CHECK_NOTHROW((void)bench.operation->verify(1));
        if (right.size() >= 16) {  // fewer may be the same by chance
            std::ranges::copy(earlier, received.begin());
            notices();
        }
        std::ranges::copy(right, received.begin());
        measure::poison(received.last(1));
        notices();
    });
}
