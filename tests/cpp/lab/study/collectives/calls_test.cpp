// SPDX-License-Identifier: BSD-3-Clause
// ranks: 2
// What is timed of the studies of messages and collectives: calls of the MPI functions that they
// are named for, so many per repetition, and of no others; and how their numbers are counted.
#include "lab/study/collectives/collective.hpp"
#include "lab/study/study.hpp"
#include "testing.hpp"

using namespace transrank;
using namespace transrank::lab;

namespace {

using Calls = std::map<std::string, int>;

Calls calls;

int counted(const char* function, int status) {
    ++calls[function];
    return status;
}

}  // namespace

// Through MPI's profiling interface: every call of this program is done, and counted.
// NOLINTBEGIN(cppcoreguidelines-macro-usage)
#define UNPACKED(...) __VA_ARGS__
#define COUNTED(name, parameters, arguments)          \
    extern "C" int MPI_##name parameters {            \
        return counted(#name, PMPI_##name arguments); \
    }
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define COUNTED_PERSISTENT(name, parameters, arguments) COUNTED(name, parameters, arguments)
#else
#define COUNTED_PERSISTENT(name, parameters, arguments)
#endif
// The blocking, non-blocking and persistent form of a collective operation.
#define COUNTED_FORMS(name, small, parameters, arguments)                                     \
    COUNTED(name, (UNPACKED parameters), (UNPACKED arguments))                                \
    COUNTED(I##small, (UNPACKED parameters, MPI_Request * made), (UNPACKED arguments, made))  \
    COUNTED_PERSISTENT(name##_init, (UNPACKED parameters, MPI_Info info, MPI_Request * made), \
                       (UNPACKED arguments, info, made))
#define OUT const void *out, int n, MPI_Datatype t
#define OUT_V const void *out, const int *n, const int *d, MPI_Datatype t
#define IN void *in, int m, MPI_Datatype u
#define IN_V void *in, const int *m, const int *e, MPI_Datatype u
#define TO int to, int tag, MPI_Comm comm

COUNTED(Send, (OUT, TO), (out, n, t, to, tag, comm))
COUNTED(Bsend, (OUT, TO), (out, n, t, to, tag, comm))
COUNTED(Ssend, (OUT, TO), (out, n, t, to, tag, comm))
COUNTED(Isend, (OUT, TO, MPI_Request* made), (out, n, t, to, tag, comm, made))
COUNTED(Send_init, (OUT, TO, MPI_Request* made), (out, n, t, to, tag, comm, made))
COUNTED(Recv, (IN, TO, MPI_Status* status), (in, m, u, to, tag, comm, status))
COUNTED(Irecv, (IN, TO, MPI_Request* made), (in, m, u, to, tag, comm, made))
COUNTED(Sendrecv,
        (OUT, int to, int tag, IN, int from, int tag_in, MPI_Comm comm, MPI_Status* status),
        (out, n, t, to, tag, in, m, u, from, tag_in, comm, status))
#define PLACE int at, MPI_Aint place, int count, MPI_Datatype type
COUNTED(Put, (OUT, PLACE, MPI_Win win), (out, n, t, at, place, count, type, win))
COUNTED(Get, (IN, PLACE, MPI_Win win), (in, m, u, at, place, count, type, win))
COUNTED(Accumulate, (OUT, PLACE, MPI_Op op, MPI_Win win),
        (out, n, t, at, place, count, type, op, win))
COUNTED(Get_accumulate, (OUT, IN, PLACE, MPI_Op op, MPI_Win win),
        (out, n, t, in, m, u, at, place, count, type, op, win))
COUNTED(Fetch_and_op,
        (const void* out, void* in, MPI_Datatype t, int at, MPI_Aint place, MPI_Op op, MPI_Win win),
        (out, in, t, at, place, op, win))
COUNTED(Compare_and_swap,
        (const void* out, const void* known, void* in, MPI_Datatype t, int at, MPI_Aint place,
         MPI_Win win),
        (out, known, in, t, at, place, win))
COUNTED(Win_flush, (int at, MPI_Win win), (at, win))
COUNTED(Win_fence, (int assertions, MPI_Win win), (assertions, win))
COUNTED(Win_start, (MPI_Group group, int assertions, MPI_Win win), (group, assertions, win))
COUNTED(Win_complete, (MPI_Win win), (win))
COUNTED(Win_post, (MPI_Group group, int assertions, MPI_Win win), (group, assertions, win))
COUNTED(Win_wait, (MPI_Win win), (win))
COUNTED(Win_lock, (int kind, int at, int assertions, MPI_Win win), (kind, at, assertions, win))
COUNTED(Win_unlock, (int at, MPI_Win win), (at, win))
COUNTED(Win_lock_all, (int assertions, MPI_Win win), (assertions, win))
COUNTED(Start, (MPI_Request * request), (request))
COUNTED(Wait, (MPI_Request * request, MPI_Status* status), (request, status))
COUNTED(Waitall, (int n, MPI_Request* requests, MPI_Status* statuses), (n, requests, statuses))
COUNTED(Buffer_attach, (void* buffer, int bytes), (buffer, bytes))
COUNTED(Buffer_detach, (void* buffer, int* bytes), (buffer, bytes))

COUNTED_FORMS(Allreduce, allreduce, (const void* out, IN, MPI_Op op, MPI_Comm comm),
              (out, in, m, u, op, comm))
COUNTED_FORMS(Reduce, reduce, (const void* out, IN, MPI_Op op, int root, MPI_Comm comm),
              (out, in, m, u, op, root, comm))
COUNTED_FORMS(Reduce_scatter, reduce_scatter,
              (const void* out, void* in, const int* m, MPI_Datatype u, MPI_Op op, MPI_Comm comm),
              (out, in, m, u, op, comm))
COUNTED_FORMS(Reduce_scatter_block, reduce_scatter_block,
              (const void* out, IN, MPI_Op op, MPI_Comm comm), (out, in, m, u, op, comm))
COUNTED_FORMS(Scan, scan, (const void* out, IN, MPI_Op op, MPI_Comm comm),
              (out, in, m, u, op, comm))
COUNTED_FORMS(Exscan, exscan, (const void* out, IN, MPI_Op op, MPI_Comm comm),
              (out, in, m, u, op, comm))
COUNTED_FORMS(Allgather, allgather, (OUT, IN, MPI_Comm comm), (out, n, t, in, m, u, comm))
COUNTED_FORMS(Allgatherv, allgatherv, (OUT, IN_V, MPI_Comm comm), (out, n, t, in, m, e, u, comm))
COUNTED_FORMS(Gather, gather, (OUT, IN, int root, MPI_Comm comm), (out, n, t, in, m, u, root, comm))
COUNTED_FORMS(Gatherv, gatherv, (OUT, IN_V, int root, MPI_Comm comm),
              (out, n, t, in, m, e, u, root, comm))
COUNTED_FORMS(Scatter, scatter, (OUT, IN, int root, MPI_Comm comm),
              (out, n, t, in, m, u, root, comm))
COUNTED_FORMS(Scatterv, scatterv, (OUT_V, IN, int root, MPI_Comm comm),
              (out, n, d, t, in, m, u, root, comm))
COUNTED_FORMS(Alltoall, alltoall, (OUT, IN, MPI_Comm comm), (out, n, t, in, m, u, comm))
COUNTED_FORMS(Alltoallv, alltoallv, (OUT_V, IN_V, MPI_Comm comm), (out, n, d, t, in, m, e, u, comm))
COUNTED_FORMS(Alltoallw, alltoallw,
              (const void* out, const int* n, const int* d, const MPI_Datatype* t, void* in,
               const int* m, const int* e, const MPI_Datatype* u, MPI_Comm comm),
              (out, n, d, t, in, m, e, u, comm))
COUNTED_FORMS(Bcast, bcast, (IN, int root, MPI_Comm comm), (in, m, u, root, comm))
COUNTED_FORMS(Barrier, barrier, (MPI_Comm comm), (comm))
// NOLINTEND(cppcoreguidelines-macro-usage)

namespace {

constexpr int repetitions = 3;
constexpr std::int64_t most_bytes = 4096;

/// What is called while a case is prepared, and then in so many repetitions of it.
struct Phases {
    Calls before;
    Calls timed;
};

Phases phases(const measure::Case& point, const mpi::Communicator& comm) {
    const measure::Workspace workspace(point.send_bytes, point.receive_bytes,
                                       measure::CacheMode::warm);
    calls.clear();
    const auto operation = study::find(point.study).prepare(point, {comm, workspace, most_bytes});
    const Calls before = calls;
    operation->fill(1);
    calls.clear();
    operation->run(repetitions);
    Phases found{.before = before, .timed = calls};
    CHECK_NOTHROW((void)operation->verify(repetitions));
    return found;
}

/// The calls of one repetition, `repetitions` times.
Calls repeated(Calls each) {
    for (auto& [name, number] : each) {
        number *= repetitions;
    }
    return each;
}

std::vector<measure::Case> cases(const std::string& study, std::int64_t bytes) {
    const study::Selection selection{.sizes = {bytes}, .axes = {}};
    return study::select(study::find(study), selection, 2, measure::CacheMode::warm,
                         std::int64_t{1} << 30);
}

std::string listed(const Calls& found) {
    std::string words;
    for (const auto& [name, number] : found) {
        words += name + " " + std::to_string(number) + ", ";
    }
    return words;
}

}  // namespace

TEST_CASE("a message study calls what IMB's and OSU's benchmark of it calls, and nothing else") {
    const mpi::Communicator world(MPI_COMM_WORLD);
    struct Definition {
        std::string case_id;
        Calls first;
        Calls second;
    };
    const auto both = [](const std::string& id, const Calls& each) {
        return Definition{.case_id = id, .first = each, .second = each};
    };
    const auto origin = [](const std::string& id, const Calls& calls_of_it) {
        return Definition{.case_id = id, .first = calls_of_it, .second = {}};
    };
    const Calls window_out{{"Isend", 64}, {"Waitall", 1}, {"Recv", 1}};
    const Calls window_in{{"Irecv", 64}, {"Waitall", 1}, {"Send", 1}};
    const std::vector<Definition> definitions{
        both("pingpong/1KiB", {{"Send", 1}, {"Recv", 1}}),
        both("pingping/1KiB", {{"Isend", 1}, {"Recv", 1}, {"Wait", 1}}),
        both("sendrecv/1KiB", {{"Sendrecv", 1}}),
        both("exchange/1KiB", {{"Isend", 2}, {"Recv", 2}, {"Waitall", 1}}),
        {.case_id = "bandwidth/64/1KiB", .first = window_out, .second = window_in},
        both("bidirectional-bandwidth/64/1KiB", {{"Isend", 64}, {"Irecv", 64}, {"Waitall", 1}}),
        {.case_id = "message-rate/1/1KiB", .first = window_out, .second = window_in},
        both("send-modes/send/1KiB", {{"Send", 1}, {"Recv", 1}}),
        both("send-modes/bsend/1KiB", {{"Bsend", 1}, {"Recv", 1}}),
        both("send-modes/ssend/1KiB", {{"Ssend", 1}, {"Recv", 1}}),
        both("send-modes/isend/1KiB", {{"Isend", 1}, {"Wait", 1}, {"Recv", 1}}),
        both("send-modes/persistent/1KiB", {{"Start", 1}, {"Wait", 1}, {"Recv", 1}}),
        both("send-modes/sendrecv/1KiB", {{"Sendrecv", 1}}),
        origin("one-sided/put/flush/allocated/1/1KiB", {{"Put", 1}, {"Win_flush", 1}}),
        origin("one-sided/get/flush/allocated/64/1KiB", {{"Get", 64}, {"Win_flush", 1}}),
        origin("one-sided/accumulate/lock/allocated/1/1KiB",
               {{"Win_lock", 1}, {"Accumulate", 1}, {"Win_unlock", 1}}),
        origin("one-sided/get-accumulate/flush/allocated/1/1KiB",
               {{"Get_accumulate", 1}, {"Win_flush", 1}}),
        {.case_id = "one-sided/put/fence/allocated/1/1KiB",
         .first = {{"Put", 1}, {"Win_fence", 1}},
         .second = {{"Win_fence", 1}}},
        {.case_id = "one-sided/put/post/allocated/1/1KiB",
         .first = {{"Win_start", 1}, {"Put", 1}, {"Win_complete", 1}},
         .second = {{"Win_post", 1}, {"Win_wait", 1}}},
        origin("one-sided/fetch-and-op/flush/allocated/1/8B",
               {{"Fetch_and_op", 1}, {"Win_flush", 1}}),
        origin("one-sided/compare-and-swap/flush/allocated/1/8B",
               {{"Compare_and_swap", 1}, {"Win_flush", 1}}),
    };
    for (const auto& definition : definitions) {
        CAPTURE(definition.case_id);
        const auto& id = definition.case_id;
        const auto points = cases(id.substr(0, id.find('/')), id.ends_with("/8B") ? 8 : 1024);
        const auto point = std::ranges::find(points, id, &measure::Case::id);
        REQUIRE(point != points.end());
        const auto found = phases(*point, world);
        const Calls expected = world.rank() == 0 ? definition.first : definition.second;
        CHECK(listed(found.timed) == listed(repeated(expected)));
        if (id.find("bsend") != std::string::npos) {
            CHECK(listed(found.before) == "Buffer_attach 1, ");
        }
    }
}

TEST_CASE("a collective in each of its forms calls the function of that name") {
    const mpi::Communicator world(MPI_COMM_WORLD);
    int checked = 0;
    for (const auto& point : cases("collectives", 64)) {
        CAPTURE(point.id());
        if (!point.skip_reason.empty()) {
            continue;
        }
        const auto name = study::collectives::find(point.text("operation")).mpi_name().substr(4);
        const auto form = point.text("form");
        auto immediate = "I" + name;
        immediate[1] = static_cast<char>(immediate[1] - 'A' + 'a');
        const auto found = phases(point, world);
        CHECK(listed(found.before) == (form == "persistent" ? name + "_init 1, " : ""));
        CHECK(listed(found.timed) ==
              listed(repeated(form == "blocking"     ? Calls{{name, 1}}
                              : form == "persistent" ? Calls{{"Start", 1}, {"Wait", 1}}
                                                     : Calls{{immediate, 1}, {"Wait", 1}})));
        ++checked;
    }
    CHECK(checked >= 24);
}

TEST_CASE("times are divided and bytes are counted as IMB and OSU do") {
    struct Definition {
        std::string study;
        int operations;  ///< of which the time of one repetition is that of so many
        double times;    ///< so many times the length of a message
        measure::Clocks clocks;
    };
    const std::vector<Definition> definitions{
        {.study = "pingpong", .operations = 2, .times = 1, .clocks = measure::Clocks::root},
        {.study = "pingping", .operations = 1, .times = 1, .clocks = measure::Clocks::root},
        {.study = "sendrecv", .operations = 1, .times = 2, .clocks = measure::Clocks::all},
        {.study = "exchange", .operations = 1, .times = 4, .clocks = measure::Clocks::all},
        {.study = "bandwidth", .operations = 64, .times = 1, .clocks = measure::Clocks::root},
        {.study = "bidirectional-bandwidth",
         .operations = 64,
         .times = 2,
         .clocks = measure::Clocks::root},
        {.study = "message-rate", .operations = 64, .times = 1, .clocks = measure::Clocks::all},
    };
    for (const auto& definition : definitions) {
        CAPTURE(definition.study);
        const auto points = cases(definition.study, most_bytes);
        REQUIRE(points.size() == 1);
        const auto& point = points.front();
        CHECK(point.operations_per_repetition == definition.operations);
        CHECK(point.bytes_counted == definition.times * most_bytes);
        CHECK(point.clocks == definition.clocks);
        CHECK(point.timing == measure::TimingKind::bulk);
    }
}
