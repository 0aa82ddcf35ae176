// SPDX-License-Identifier: BSD-3-Clause
// ranks: 2 3
// What a rank may do between start and wait, and while it waits, without blocking its peers: each
// of these hangs where an exchange forgets MPI, or binding forgets the exchanges.
#include "ring.hpp"
#include "transrank/exchange/backend.hpp"
#include "transrank/exchange/engine.hpp"
#include "transrank/exchange/known_communicator.hpp"

using namespace testing;
using transrank::exchange::Engine;
using transrank::exchange::KnownCommunicator;
using transrank::transport::Polling;

namespace {

const std::vector<std::string> ways{"shared-direct", "kernel-copy", "shared-staged", "message"};

void finish_by_tests(Exchange& exchange) {
    while (!exchange.test()) {
    }
}

/// A message that the sender gets rid of only when the receiver calls MPI: rank 0 does so in no
/// other way than by finishing an exchange, which rank 1 starts afterwards.
template <class Finish>
void finish_while_a_message_comes(Exchange& exchange, const Finish& finish) {
    constexpr int count = 1 << 19;  // 4 MiB, sent by rendezvous
    std::vector<double> numbers(count, 0);
    MPI_Request request = MPI_REQUEST_NULL;
    if (world_rank() == 0) {
        MPI_Irecv(numbers.data(), count, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
    } else if (world_rank() == 1) {
        std::iota(numbers.begin(), numbers.end(), 0.0);
        MPI_Send(numbers.data(), count, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    }
    exchange.start();
    finish(exchange);
    if (world_rank() == 0) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(numbers.back() == count - 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/// As another thread's exchange that advances all the time.
class Restless final : public transrank::exchange::Active {
public:
    Restless() {
        Engine::instance().know(*this);
        Engine::instance().add(*this);
    }
    Restless(const Restless&) = delete;
    Restless& operator=(const Restless&) = delete;
    ~Restless() override {
        stop();
        Engine::instance().forget(*this);
    }
    void stop() { Engine::instance().remove(*this); }

    bool progress() noexcept override { return true; }
    [[nodiscard]] bool is_over() const noexcept override { return false; }
    [[nodiscard]] Polling polling() const override { return Polling::none; }
    void leave() noexcept override {}
    [[nodiscard]] std::unique_ptr<transrank::exchange::Backend> let_go(
        const transrank::memory::Node& /*node*/) override {
        return nullptr;
    }
};

}  // namespace

TEST_CASE("a rank that waits receives long messages meanwhile") {
    for (const auto& way : ways) {
        CAPTURE(way);
        const Ring ring(world_rank(), world_size(), true);
        auto exchange = ring.bind(way);
        finish_while_a_message_comes(exchange, [](Exchange& each) { each.wait(); });
        finish_while_a_message_comes(exchange, finish_by_tests);
    }
}

TEST_CASE("it also does while a message of the library waits that nobody receives") {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const Ring ring(world_rank(), world_size(), true);
    std::vector<Exchange> exchanges;
    for (const auto& way : ways) {
        exchanges.push_back(ring.bind(way, comm));
    }
    // The others hear of it, and look for it only when they bind.
    const auto known = KnownCommunicator::get(comm);
    if (world_rank() == 1) {
        CHECK_THROWS_AS(known->attempt([] { throw std::bad_alloc(); }), std::bad_alloc);
    }
    for (auto& exchange : exchanges) {
        bool came = false;
        finish_while_a_message_comes(exchange, [&](Exchange& each) { came = each.wait_for(5); });
        CHECK(came);
        exchange.wait();
    }
    // Never freed: ranks that have failed alone do not use it again.
}

TEST_CASE("a rank waits no longer than it wants although others of its exchanges advance") {
    const Ring ring(world_rank(), world_size(), true);
    auto exchange = ring.bind("shared-direct");
    Restless restless;
    if (world_rank() == 0) {
        exchange.start();
        CHECK(!exchange.wait_for(0.05));
    }
    restless.stop();
    MPI_Barrier(MPI_COMM_WORLD);
    exchange.run();
}

TEST_CASE("a rank may bind before its wait what its peers bind after theirs") {
    for (const auto& way : ways) {
        for (const bool known : {true, false}) {
            CAPTURE(way);
            CAPTURE(known);
            MPI_Comm comm = MPI_COMM_WORLD;
            if (!known) {
                MPI_Comm_dup(MPI_COMM_WORLD, &comm);
            }
            {
                Ring first_ring(world_rank(), world_size(), true);
                Ring second_ring(world_rank(), world_size(), true);
                auto first = first_ring.bind(way);
                first_ring.write(world_rank());
                // Only rank 1 has started when it waits: rank 0 must move its part while it binds.
                first.start();
                if (world_rank() != 0) {
                    first.wait();
                }
                auto second = second_ring.bind(way, comm);
                if (world_rank() == 0) {
                    first.wait();
                }
                CHECK(first_ring.has_received(first_ring.previous()));
                second_ring.write(world_rank());
                second.run();
                CHECK(second_ring.has_received(second_ring.previous()));
            }
            if (!known) {
                MPI_Comm_free(&comm);
            }
        }
    }
}
