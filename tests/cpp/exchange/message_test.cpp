// SPDX-License-Identifier: BSD-3-Clause
// ranks: 2 3
// What the message transport asks of MPI, seen through MPI's profiling interface, and that what MPI
// may still read or write stays.
#include "ring.hpp"
#include "transrank/collective/alltoall.hpp"
#include "transrank/mpi/delivery.hpp"
#include "transrank/mpi/error.hpp"

using namespace testing;
using transrank::collective::Alltoall;
using transrank::copy::Field;

namespace {

struct Message {
    const void* memory;
    std::int64_t bytes;
};
std::vector<Message> sent;
std::vector<Message> received;
int most_tested = 0;  // by one call

struct Words {
    const std::byte* place;
    std::vector<std::byte> value;
};
std::vector<Words> words_sent;
bool never_ends = false;
bool fails = false;

void note(const void* memory, int bytes) {
    const auto* place = static_cast<const std::byte*>(memory);
    words_sent.push_back({.place = place, .value = {place, place + bytes}});
}

}  // namespace

// The function of this MPI that the transport calls is one of these.
extern "C" {
// The standard lets MPI start them in any order.
int MPI_Startall(int count, MPI_Request requests[]) {
    for (int i = count; i > 0; --i) {
        PMPI_Start(&requests[i - 1]);
    }
    return MPI_SUCCESS;
}
// As if a message were under way for ever.
int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
    if (never_ends) {
        *done = 0;
        return MPI_SUCCESS;
    }
    return fails ? MPI_ERR_OTHER : PMPI_Test(request, done, status);
}
int MPI_Isend(const void* memory, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
    note(memory, count);
    return PMPI_Isend(memory, count, type, to, tag, comm, request);
}
int MPI_Issend(const void* memory, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request) {
    note(memory, count);
    return PMPI_Issend(memory, count, type, to, tag, comm, request);
}
int MPI_Testsome(int count, MPI_Request requests[], int* done, int indices[],
                 MPI_Status statuses[]) {
    most_tested = std::max(most_tested, count);
    return PMPI_Testsome(count, requests, done, indices, statuses);
}
int MPI_Testany(int count, MPI_Request requests[], int* index, int* done, MPI_Status* status) {
    most_tested = std::max(most_tested, count);
    return PMPI_Testany(count, requests, index, done, status);
}
int MPI_Send_init(const void* memory, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request* request) {
    sent.push_back({.memory = memory, .bytes = count});
    return PMPI_Send_init(memory, count, type, to, tag, comm, request);
}
int MPI_Recv_init(void* memory, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                  MPI_Request* request) {
    received.push_back({.memory = memory, .bytes = count});
    return PMPI_Recv_init(memory, count, type, from, tag, comm, request);
}
#if MPI_VERSION >= 4
int MPI_Send_init_c(const void* memory, MPI_Count count, MPI_Datatype type, int to, int tag,
                    MPI_Comm comm, MPI_Request* request) {
    sent.push_back({.memory = memory, .bytes = count});
    return PMPI_Send_init_c(memory, count, type, to, tag, comm, request);
}
int MPI_Recv_init_c(void* memory, MPI_Count count, MPI_Datatype type, int from, int tag,
                    MPI_Comm comm, MPI_Request* request) {
    received.push_back({.memory = memory, .bytes = count});
    return PMPI_Recv_init_c(memory, count, type, from, tag, comm, request);
}
#endif
}

namespace {

Exchange bind_ring(const Ring& ring, const Options& options, std::vector<Field> fields) {
    sent.clear();
    received.clear();
    return {ring.route(), MPI_COMM_WORLD, std::move(fields), options};
}

Exchange bind_ring(const Ring& ring, const Options& options) {
    return bind_ring(ring, options, ring.fields());
}

Options message() {
    Options options;
    options.transport = "message";
    return options;
}

}  // namespace

TEST_CASE("what lies in one piece leaves from its place and lands in place") {
    const Ring ring(world_rank(), world_size(), true, 5);
    const auto exchange = bind_ring(ring, message());
    const auto field = ring.fields().front();
    REQUIRE(sent.size() == 1);
    REQUIRE(received.size() == 1);
    CHECK(sent[0].memory == field.source);
    CHECK(sent[0].bytes == 40);
    CHECK(received[0].memory == field.destination);
    CHECK(received[0].bytes == 40);
}

TEST_CASE("what is to be combined does not land in place") {
    const Ring ring(world_rank(), world_size(), true, 5);
    auto options = message();
    options.operation = Operation::add;
    const auto exchange = bind_ring(ring, options);
    const auto field = ring.fields().front();
    CHECK(sent[0].memory == field.source);
    CHECK(received[0].memory != field.destination);
}

TEST_CASE("several fields go in one message") {
    const Ring ring(world_rank(), world_size(), true, 5);
    auto options = message();
    options.operation = Operation::max;
    std::vector<std::array<std::byte, 40>> destinations(3);
    std::vector<Field> fields(3, ring.fields().front());
    for (std::size_t i = 0; i < fields.size(); ++i) {
        fields[i].destination = destinations[i].data();
    }
    const auto exchange = bind_ring(ring, options, fields);
    REQUIRE(sent.size() == 1);
    CHECK(sent[0].bytes == 120);
    CHECK(sent[0].memory != ring.fields().front().source);
}

TEST_CASE("a message longer than allowed is split, and arrives whole") {
    Ring ring(world_rank(), world_size(), true, 5);
    auto options = message();
    options.longest_message_bytes = 16;
    auto exchange = bind_ring(ring, options);
    REQUIRE(sent.size() == 3);
    REQUIRE(received.size() == 3);
    CHECK(sent[0].bytes == 16);
    CHECK(sent[1].bytes == 16);
    CHECK(sent[2].bytes == 8);
    CHECK(received[2].bytes == 8);
    for (int epoch = 0; epoch < 20; ++epoch) {
        ring.write((1000 * world_rank()) + epoch);
        exchange.run();
        CHECK(ring.has_received((1000 * ring.previous()) + epoch));
    }
}

TEST_CASE("of many messages to a peer each call looks at the next one, and all arrive") {
    constexpr int units = 3000;
    Ring ring(world_rank(), world_size(), true, units);
    auto options = message();
    options.longest_message_bytes = 8;
    auto exchange = bind_ring(ring, options);
    REQUIRE(sent.size() == units);
    most_tested = 0;
    for (int epoch = 0; epoch < 3; ++epoch) {
        ring.write((10000 * world_rank()) + epoch);
        exchange.run();
        CHECK(ring.has_received((10000 * ring.previous()) + epoch));
    }
    CHECK(most_tested > 0);
    CHECK(most_tested <= 2);  // what is sent and what is received
    ring.write(7);
    exchange.start();
    while (!exchange.test()) {
    }
    CHECK(ring.has_received(7));
}

TEST_CASE("arrays are kept alive while MPI may use them, and no longer") {
    for (const bool stuck : {false, true}) {
        CAPTURE(stuck);
        const Ring ring(world_rank(), world_size(), true, 5);
        auto fields = ring.fields();
        auto owner = std::make_shared<int>(0);
        const std::weak_ptr<int> watched = owner;
        fields.front().keep_alive = std::move(owner);
        auto exchange = std::make_unique<Exchange>(ring.route(), MPI_COMM_WORLD, fields, message());
        fields.clear();
        CHECK(!watched.expired());
        if (world_rank() == 0) {
            exchange->start();
        }
        MPI_Barrier(MPI_COMM_WORLD);  // to hear first that a peer has left would start nothing
        never_ends = stuck;
        exchange.reset();
        never_ends = false;
        CHECK(watched.expired() == (world_rank() != 0 || !stuck));
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

TEST_CASE("what messages are packed into is kept while MPI may use it") {
    constexpr auto packed = std::byte{0x11};
    alignas(std::int64_t) std::array<std::byte, 120> source{};
    source.fill(packed);
    alignas(std::int64_t) std::array<std::byte, 120> destination{};
    const Ring ring(world_rank(), world_size(), true, 5);
    std::vector<Field> fields(3, ring.fields().front());
    for (std::size_t i = 0; i < fields.size(); ++i) {
        fields[i].source = &source[40 * i];
        fields[i].destination = &destination[40 * i];
    }
    sent.clear();
    auto exchange = std::make_unique<Exchange>(ring.route(), MPI_COMM_WORLD, fields, message());
    REQUIRE(sent.size() == 1);
    if (world_rank() == 0) {
        exchange->start();
        never_ends = true;
        exchange.reset();
        never_ends = false;
        // Would get its memory if that were free, which AddressSanitizer sees, too.
        const std::vector<std::vector<std::byte>> later(20, std::vector<std::byte>(120));
        const std::span bytes(static_cast<const std::byte*>(sent[0].memory), 120);
        CHECK(std::ranges::count(bytes, packed) == 120);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

namespace {

/// Whether all that was sent is still there, after others had a chance to get its memory;
/// AddressSanitizer sees that, too.
bool all_is_kept() {
    std::vector<std::vector<std::byte>> later;
    for (std::size_t i = 0; i < 400; ++i) {
        later.emplace_back(8 * (1 + (i % 40)), std::byte{0xFF});
    }
    for (const auto& words : words_sent) {
        later.emplace_back(words.value.size(), std::byte{0xFF});
    }
    return !words_sent.empty() && std::ranges::all_of(words_sent, [](const Words& words) {
        return std::ranges::equal(words.value, std::span(words.place, words.value.size()));
    });
}

}  // namespace

TEST_CASE("the word that an exchange is broken") {
    const Ring ring(world_rank(), world_size(), true);
    auto exchange = std::make_unique<Exchange>(ring.bind("message"));
    words_sent.clear();
    if (world_rank() == 0) {
        never_ends = true;
        CHECK_THROWS(exchange->wait());
        exchange.reset();
        never_ends = false;
        CHECK(all_is_kept());
    } else {
        CHECK_THROWS(run_for_ever(*exchange));
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

TEST_CASE("the word that an exchange is no more, also when its communicator is freed") {
    const Ring ring(world_rank(), world_size(), true);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    {
        auto exchange = ring.bind("message", comm);
        exchange.run();
        MPI_Barrier(MPI_COMM_WORLD);
        words_sent.clear();
        never_ends = world_rank() == 0;
    }
    MPI_Comm_free(&comm);
    never_ends = false;
    CHECK((world_rank() != 0 || all_is_kept()));
    MPI_Barrier(MPI_COMM_WORLD);
}

TEST_CASE("the letters of a delivery that fails") {
    constexpr int tag = 5;
    const transrank::mpi::Communicator world(MPI_COMM_WORLD);
    std::vector<std::byte> letter(1000, std::byte{0x11});
    if (world.rank() == 0) {
        words_sent.clear();
        fails = true;
        CHECK_THROWS_AS((void)transrank::mpi::deliver(world, {{.peer = 1, .bytes = letter}}, tag),
                        transrank::mpi::Error);
        fails = false;
        CHECK(all_is_kept());
    }
    MPI_Barrier(world.handle());
    if (world.rank() == 1) {
        MPI_Recv(letter.data(), 1000, MPI_BYTE, 0, tag, world.handle(), MPI_STATUS_IGNORE);
    }
}

namespace {

/// Whether the arrays of an alltoall live on when it is dropped.
bool are_kept(const std::string& algorithm, bool by_all, bool stuck) {
    const auto count = static_cast<std::size_t>(world_size());
    auto arrays = std::make_shared<std::vector<double>>(2 * count);
    const std::weak_ptr<void> watched = arrays;
    auto* const send = arrays->data();
    auto bound = std::make_unique<Alltoall>(
        MPI_COMM_WORLD, send, send + count, sizeof(double),
        transrank::collective::AlltoallOptions{.algorithm = algorithm}, std::move(arrays));
    CHECK(!watched.expired());
    if (by_all) {
        bound->start();
        bound->wait();
    } else if (world_rank() == 0) {
        bound->start();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    never_ends = stuck;
    bound.reset();
    never_ends = false;
    MPI_Barrier(MPI_COMM_WORLD);
    return !watched.expired();
}

}  // namespace

TEST_CASE("arrays of an alltoall are kept while MPI may use them, and no longer") {
    for (const std::string algorithm : {"pairwise", "bruck", "linear", "mpi"}) {
        CAPTURE(algorithm);
        CHECK(!are_kept(algorithm, true, false));
        CHECK(are_kept(algorithm, false, true) == (world_rank() == 0));
        // MPI's own can neither be given up nor does it tell when it is over.
        CHECK(are_kept(algorithm, false, false) == (world_rank() == 0 && algorithm == "mpi"));
    }
}
