// SPDX-License-Identifier: BSD-3-Clause
// ranks: 2
// What the message transport asks of MPI, seen through MPI's profiling interface.
#include "ring.hpp"

using namespace testing;
using transrank::copy::Field;
using transrank::exchange::Exchange;
using transrank::exchange::Options;

namespace {

struct Message {
    const void* memory;
    std::int64_t bytes;
};
std::vector<Message> sent;
std::vector<Message> received;
bool never_ends = false;
int most_tested = 0;  // by one call

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
    return PMPI_Test(request, done, status);
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
    options.operation = transrank::copy::Operation::add;
    const auto exchange = bind_ring(ring, options);
    const auto field = ring.fields().front();
    CHECK(sent[0].memory == field.source);
    CHECK(received[0].memory != field.destination);
}

TEST_CASE("several fields go in one message") {
    const Ring ring(world_rank(), world_size(), true, 5);
    auto options = message();
    options.operation = transrank::copy::Operation::max;
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
