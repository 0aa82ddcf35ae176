// SPDX-License-Identifier: BSD-3-Clause
// ranks: 2
// What is sent and not waited for stays where MPI may still read it.
#include "ring.hpp"
#include "transrank/mpi/communicator.hpp"
#include "transrank/mpi/delivery.hpp"
#include "transrank/mpi/error.hpp"

using namespace testing;
using namespace transrank;

namespace {

struct Words {
    const std::byte* place;
    std::vector<std::byte> value;
};
std::vector<Words> sent;
bool never_ends = false;
bool fails = false;

void note(const void* memory, int bytes) {
    const auto* place = static_cast<const std::byte*>(memory);
    sent.push_back({.place = place, .value = {place, place + bytes}});
}

}  // namespace

extern "C" {
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
// As if a message were under way for ever.
int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
    if (never_ends) {
        *done = 0;
        return MPI_SUCCESS;
    }
    return fails ? MPI_ERR_OTHER : PMPI_Test(request, done, status);
}
}

namespace {

/// Whether all that was sent is still there, after others had a chance to get its memory;
/// AddressSanitizer sees that, too.
bool all_is_kept() {
    std::vector<std::vector<std::byte>> later;
    for (std::size_t i = 0; i < 400; ++i) {
        later.emplace_back(8 * (1 + (i % 40)), std::byte{0xFF});
    }
    for (const auto& words : sent) {
        later.emplace_back(words.value.size(), std::byte{0xFF});
    }
    return !sent.empty() && std::ranges::all_of(sent, [](const Words& words) {
        return std::ranges::equal(words.value, std::span(words.place, words.value.size()));
    });
}

}  // namespace

TEST_CASE("the word that an exchange is broken") {
    const Ring ring(world_rank(), world_size(), true);
    auto exchange = std::make_unique<exchange::Exchange>(ring.bind("message"));
    sent.clear();
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
        sent.clear();
        never_ends = world_rank() == 0;
    }
    MPI_Comm_free(&comm);
    never_ends = false;
    CHECK((world_rank() != 0 || all_is_kept()));
    MPI_Barrier(MPI_COMM_WORLD);
}

TEST_CASE("the letters of a delivery that fails") {
    constexpr int tag = 5;
    const mpi::Communicator world(MPI_COMM_WORLD);
    std::vector<std::byte> letter(1000, std::byte{0x11});
    if (world.rank() == 0) {
        sent.clear();
        fails = true;
        CHECK_THROWS_AS((void)mpi::deliver(world, {{.peer = 1, .bytes = letter}}, tag), mpi::Error);
        fails = false;
        CHECK(all_is_kept());
    }
    MPI_Barrier(world.handle());
    if (world.rank() == 1) {
        MPI_Recv(letter.data(), 1000, MPI_BYTE, 0, tag, world.handle(), MPI_STATUS_IGNORE);
    }
}
