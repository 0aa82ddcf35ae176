// SPDX-License-Identifier: BSD-3-Clause
// ranks: 2 3 4
// Exchanges, alltoalls and redistributions that are dropped at random points, with their arrays:
// nobody writes where those were, and nobody waits for ever. `make stress` runs many more.
#include <doctest/doctest.h>
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "transrank/collective/alltoall.hpp"
#include "transrank/collective/method.hpp"
#include "transrank/exchange/exchange.hpp"
#include "transrank/memory/array_memory.hpp"
#include "transrank/mpi/communicator.hpp"
#include "transrank/redistribution/redistribution.hpp"
#include "transrank/route/alltoall.hpp"
#include "transrank/transport/breakage.hpp"

using namespace transrank;

namespace {

using Random = std::mt19937;

constexpr auto foreign_to_all = std::byte{0xA5};

int asked_for(const char* variable, int otherwise) {
    const char* const asked = std::getenv(variable);
    return asked == nullptr ? otherwise : std::stoi(asked);
}

int trials() {
    return asked_for("TRANSRANK_TRIALS", 40);
}

Random random_of(int trial, int stream) {
    std::seed_seq seeds{asked_for("TRANSRANK_TEST_SEED", 0), trial, stream};
    return Random(seeds);
}

int draw(Random& random, int below) {
    return std::uniform_int_distribution<int>(0, below - 1)(random);
}

template <class Of>
const auto& one_of(Random& random, const Of& choices) {
    return choices[static_cast<std::size_t>(draw(random, static_cast<int>(std::size(choices))))];
}

/// Memory as a user has it: shared by transrank, or from the heap.
class Array {
public:
    Array(std::size_t bytes, bool shared, std::byte value) {
        if (shared) {
            auto memory = std::make_shared<memory::ArrayMemory>(bytes);
            bytes_ = memory->bytes().first(bytes);
            owner_ = std::move(memory);
        } else {
            auto memory = std::make_shared<std::vector<std::byte>>(bytes);
            bytes_ = *memory;
            owner_ = std::move(memory);
        }
        std::ranges::fill(bytes_, value);
    }
    [[nodiscard]] std::byte* data() const { return bytes_.data(); }
    [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(bytes_.size()); }
    [[nodiscard]] const std::shared_ptr<void>& owner() const { return owner_; }
    [[nodiscard]] bool holds_only(std::byte value) const {
        return std::ranges::all_of(bytes_, [&](std::byte each) { return each == value; });
    }

private:
    std::span<std::byte> bytes_;
    std::shared_ptr<void> owner_;
};

/// What is bound, as the three have it in common.
struct Bound {
    std::function<void()> start;
    std::function<bool()> test;
    std::function<void()> wait;
};

template <class Kind>
Bound bound_to(std::shared_ptr<Kind> kind) {
    return {.start = [kind] { kind->start(); },
            .test = [kind] { return kind->test(); },
            .wait = [kind] { kind->wait(); }};
}

struct Scene {
    const mpi::Communicator& comm;
    Random& random;
    const Array& source;
    const Array& destination;
    std::int64_t block_bytes;

    [[nodiscard]] copy::Field field() const {
        return {
            .source = source.data(),
            .source_bytes = source.size(),
            .destination = destination.data(),
            .destination_bytes = destination.size(),
            .unit_bytes = 1,
            .keep_alive = std::make_shared<std::pair<std::shared_ptr<void>, std::shared_ptr<void>>>(
                source.owner(), destination.owner())};
    }
};

const std::vector<std::string> transports{"auto", "shared-staged", "message"};

Bound exchange_in(const Scene& scene) {
    exchange::Options options;
    options.transport = one_of(scene.random, transports);
    return bound_to(std::make_shared<exchange::Exchange>(
        route::alltoall(scene.comm.rank(), scene.comm.size(), scene.block_bytes),
        scene.comm.handle(), std::vector{scene.field()}, options));
}

Bound alltoall_in(const Scene& scene) {
    std::vector<std::string> algorithms{"auto"};
    for (const auto& method : collective::methods()) {
        if (method
                .obstacle({.ranks = scene.comm.size()},
                          {.on_one_node = true, .shared_arrays = true, .equal_blocks = true})
                .empty()) {
            algorithms.emplace_back(method.name);
        }
    }
    return bound_to(std::make_shared<collective::Alltoall>(
        scene.comm.handle(), scene.source.data(), scene.destination.data(), scene.block_bytes,
        collective::AlltoallOptions{.algorithm = one_of(scene.random, algorithms)},
        scene.field().keep_alive));
}

Bound redistribution_in(const Scene& scene) {
    using layout::Distribution;
    const int ranks = scene.comm.size();
    const auto length = scene.block_bytes * ranks;
    const layout::BlockGrid rows({Distribution::even(ranks, ranks), Distribution::even(length, 1)});
    const layout::BlockGrid columns(
        {Distribution::even(ranks, 1), Distribution::even(length, ranks)});
    auto made =
        std::make_shared<redistribution::Redistribution>(scene.comm.handle(), rows, columns);
    exchange::Options options;
    options.transport = one_of(scene.random, transports);
    made->store({scene.field()}, options);
    return bound_to(std::move(made));
}

/// Whether the data have arrived.
bool meet_fate(const Bound& bound, Random& random) {
    enum : int { drop_before_start, drop_after_start, drop_after_tests, finish, fates = 7 };
    const int fate = draw(random, fates);
    if (fate == drop_before_start) {
        return false;
    }
    bound.start();
    if (fate == drop_after_start) {
        return false;
    }
    for (int i = fate == drop_after_tests ? draw(random, 4) : 0; i > 0; --i) {
        if (bound.test()) {
            return false;
        }
    }
    if (fate == drop_after_tests) {
        return false;
    }
    bound.wait();
    return true;
}

// A barrier in which MPI can finish what it still has to do.
void settle(const mpi::Communicator& comm) {
    for (int i = 0; i < 2; ++i) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ibarrier(comm.handle(), &request);
        mpi::complete(request, {});
    }
}

}  // namespace

TEST_CASE("nothing foreign is written whatever is dropped whenever") {
    const mpi::Communicator world(MPI_COMM_WORLD);
    const std::vector<std::int64_t> lengths{1, 100, 20'000};
    const std::vector<std::function<Bound(const Scene&)>> kinds{exchange_in, alltoall_in,
                                                                redistribution_in};
    for (int trial = 0; trial < trials(); ++trial) {
        CAPTURE(trial);
        auto common = random_of(trial, -1);
        auto own = random_of(trial, world.rank());
        const auto block_bytes = one_of(common, lengths) * world.size();
        const auto bytes = static_cast<std::size_t>(block_bytes * world.size());
        const bool shared = draw(common, 2) == 0;
        constexpr auto sent = std::byte{0x11};
        {
            const Array source(bytes, shared, sent);
            const Array destination(bytes, shared, std::byte{0});
            const auto bound = one_of(common, kinds)({.comm = world,
                                                      .random = common,
                                                      .source = source,
                                                      .destination = destination,
                                                      .block_bytes = block_bytes});
            try {
                if (meet_fate(bound, own)) {
                    CHECK(destination.holds_only(sent));
                }
            } catch (const transport::BrokenExchange& error) {
                CHECK(error.breakage().rank != world.rank());
            }
        }
        std::vector<Array> later;
        for (int i = 0; i < 6; ++i) {
            later.emplace_back(bytes, i % 3 == 0, foreign_to_all);
        }
        settle(world);
        for (const auto& array : later) {
            CHECK(array.holds_only(foreign_to_all));
        }
    }
}
