// SPDX-License-Identifier: BSD-3-Clause
// The shared transports with ranks as threads of one process, for ThreadSanitizer: it sees no race
// between two mappings of one file, but here all ranks use one. Built and run by
// test_shared_transports.py, without MPI.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "transrank/memory/doorbell.hpp"
#include "transrank/memory/shared_segment.hpp"
#include "transrank/mpi/communicator.hpp"
#include "transrank/mpi/error.hpp"
#include "transrank/transport/shared/thresholds.hpp"
#include "transrank/transport/table.hpp"
#include "transrank/transport/transport.hpp"

using namespace transrank;

namespace {

constexpr int ranks = 3;
constexpr int epochs = 300;
constexpr std::int64_t rows = 40;  ///< from a rank to each other one
constexpr std::int64_t row_bytes = 24;

thread_local int own_rank = -1;

/// Messages under way, by sender and receiver.
struct Post {
    std::mutex mutex;
    std::condition_variable arrived;
    std::map<std::pair<int, int>, std::vector<std::byte>> messages;
};
Post post;

struct Receive {
    void* memory;
    int from;
};
thread_local std::vector<Receive> receives;

}  // namespace

int MPI_Isend(const void* memory, int bytes, MPI_Datatype /*type*/, int to, int /*tag*/,
              MPI_Comm /*comm*/, MPI_Request* /*request*/) {
    const std::lock_guard lock(post.mutex);
    const auto* begin = static_cast<const std::byte*>(memory);
    post.messages[{own_rank, to}] = {begin, begin + bytes};
    post.arrived.notify_all();
    return MPI_SUCCESS;
}

int MPI_Irecv(void* memory, int /*bytes*/, MPI_Datatype /*type*/, int from, int /*tag*/,
              MPI_Comm /*comm*/, MPI_Request* /*request*/) {
    receives.push_back({.memory = memory, .from = from});
    return MPI_SUCCESS;
}

int MPI_Iprobe(int /*from*/, int /*tag*/, MPI_Comm /*comm*/, int* /*there*/,
               MPI_Status* /*status*/) {
    return MPI_SUCCESS;
}

int MPI_Get_count(const MPI_Status* /*status*/, MPI_Datatype /*type*/, int* /*count*/) {
    return MPI_SUCCESS;
}

// A communicator is the rank that looks at it.
namespace transrank::mpi {

Communicator::Communicator(MPI_Comm comm) : comm_(comm), rank_(comm), size_(ranks) {}
Communicator::~Communicator() = default;
void check(int /*code*/, const char* /*call*/, std::source_location /*where*/) {}
void pause(int /*idle_rounds*/) {}

void complete(std::span<MPI_Request> /*requests*/, const std::shared_ptr<void>& /*memory*/,
              const Meanwhile& /*meanwhile*/) {
    std::unique_lock lock(post.mutex);
    for (const auto& receive : receives) {
        const std::pair key{receive.from, own_rank};
        post.arrived.wait(lock, [&] { return post.messages.contains(key); });
        const auto& message = post.messages[key];
        std::memcpy(receive.memory, message.data(), message.size());
        post.messages.erase(key);
    }
    receives.clear();
}

}  // namespace transrank::mpi

// The threshold is given.
transport::Thresholds transport::thresholds_of(const mpi::Communicator& /*comm*/,
                                               const memory::Node& /*node*/) {
    return {};
}

namespace {

/// Each rank sends `rows` rows to each other rank: from every second row of its source, to dense
/// places, or all of them to the same places where they are to be added up.
route::Segment segment(int from, int to, bool summed) {
    return {.source = to * 2 * rows,
            .destination = summed ? 0 : from * rows,
            .length = 1,
            .count = rows,
            .source_stride = 2,
            .destination_stride = 1};
}

route::Route route_of(int rank, bool summed) {
    std::vector<route::Leg> sends;
    std::vector<route::Leg> arrivals;
    for (int other = 0; other < ranks; ++other) {
        if (other != rank) {
            sends.push_back({.peer = other, .segments = {segment(rank, other, summed)}});
            arrivals.push_back({.peer = other, .segments = {segment(other, rank, summed)}});
        }
    }
    return {rank, ranks, ranks * 2 * rows, ranks * rows, sends, arrivals};
}

/// All ranks' words to each other: what binding would have delivered by MPI.
struct World {
    static constexpr std::size_t sets = 2;
    static constexpr auto bytes = static_cast<std::size_t>(3 * ranks * rows * row_bytes);
    std::array<memory::Doorbell, ranks> doorbells;
    std::array<std::unique_ptr<memory::SharedSegment>, ranks> arrays;
    std::array<std::unique_ptr<transport::ControlBlock>, ranks> controls;

    World() {
        for (int rank = 0; rank < ranks; ++rank) {
            const auto index = static_cast<std::size_t>(rank);
            arrays[index] = std::make_unique<memory::SharedSegment>(sets * bytes);
            controls[index] = std::make_unique<transport::ControlBlock>(ranks - 1, true);
        }
    }

    /// Of each of its sets of arrays.
    [[nodiscard]] std::vector<transport::FieldOffer> offers(int rank) const {
        std::vector<transport::FieldOffer> made;
        for (std::uint64_t set = 0; set < sets; ++set) {
            made.push_back(transport::offer_of(field(rank, set), true));
        }
        return made;
    }
    [[nodiscard]] copy::Field field(int rank, std::uint64_t set) const {
        auto* const memory = arrays[static_cast<std::size_t>(rank)]->bytes().data() + (set * bytes);
        constexpr auto source_bytes = 2 * ranks * rows * row_bytes;
        return {.source = memory,
                .source_bytes = source_bytes,
                .destination = memory + source_bytes,
                .destination_bytes = ranks * rows * row_bytes,
                .unit_bytes = row_bytes,
                .scalar = copy::Scalar::int64};
    }
};

std::size_t slot_of(int peer, int rank) {
    return static_cast<std::size_t>(peer < rank ? peer : peer - 1);
}

std::vector<transport::PeerOffer> offers_to(int rank, World& world, const route::Route& route,
                                            bool ordered) {
    std::vector<transport::PeerOffer> offers;
    for (int peer = 0; peer < ranks; ++peer) {
        const auto index = static_cast<std::size_t>(peer);
        if (peer != rank) {
            offers.push_back({.rank = peer,
                              .my_slot = slot_of(rank, peer),
                              .slot = slot_of(peer, rank),
                              .peers = ranks - 1,
                              .ordered = ordered,
                              .reason_against_sharing = "",
                              .control = world.controls[index]->handle(),
                              .doorbell = &world.doorbells[index],
                              .fields = world.offers(peer),
                              .send = route::find_leg(route.sends(), peer),
                              .receive = route::find_leg(route.receives(), peer)});
        }
    }
    return offers;
}

// What a rank writes into a row for another one, and what must arrive there.
std::int64_t value(int from, int to, std::int64_t row, int epoch) {
    return (((epoch * ranks) + from) * ranks + to) * rows + row;
}

std::int64_t* row_at(std::byte* memory, std::int64_t row) {
    return reinterpret_cast<std::int64_t*>(memory + (row * row_bytes));
}

/// One rank of one exchange.
class Rank {
public:
    Rank(int rank, World& world, const transport::Entry& entry, copy::Operation operation,
         std::int64_t push_below_bytes)
        : rank_(rank),
          summed_(operation == copy::Operation::add),
          doorbell_(world.doorbells[static_cast<std::size_t>(rank)]),
          world_(world),
          field_(world.field(rank, 0)),
          own_offers_(world.offers(rank)),
          comm_(rank),
          route_(route_of(rank, summed_)),
          apply_order_(others(rank), summed_),
          offers_(offers_to(rank, world, route_, summed_)),
          binding_{.route = route_,
                   .fields = {&field_, 1},
                   .own_fields = own_offers_,
                   .sets = World::sets,
                   .set = set_,
                   .comm = comm_,
                   .own_node = 0,
                   .wanted = entry.name,
                   .push_below_bytes = push_below_bytes,
                   .operation = operation,
                   .stores = copy::Stores::cached,
                   .moved_bytes = 0,
                   .longest_message_bytes = INT64_MAX,
                   .control = *world.controls[static_cast<std::size_t>(rank)],
                   .apply_order = apply_order_,
                   .prepared_before = prepared_,
                   .offers = offers_} {
        own_rank = rank;
        std::vector<const transport::PeerOffer*> peers;
        for (const auto& offer : offers_) {
            peers.push_back(&offer);
        }
        transport_ = entry.make(binding_, peers);
        transport_->connect();
        transport_->prepare();
    }

    void run() {
        for (int epoch = 1; epoch <= epochs; ++epoch) {
            set_ = static_cast<std::uint64_t>((epoch / 2) + rank_) % World::sets;
            field_ = world_.field(rank_, set_);
            write(epoch);
            apply_order_.reset();
            transport_->start(static_cast<std::uint64_t>(epoch));
            wait();
            check(epoch);
        }
    }

private:
    static std::vector<int> others(int rank) {
        std::vector<int> all;
        for (int other = 0; other < ranks; ++other) {
            if (other != rank) {
                all.push_back(other);
            }
        }
        return all;
    }

    void write(int epoch) {
        auto* const source = const_cast<std::byte*>(field_.source);
        for (int to = 0; to < ranks; ++to) {
            for (std::int64_t row = 0; row < rows; ++row) {
                *row_at(source, (to * 2 * rows) + (2 * row)) = value(rank_, to, row, epoch);
            }
        }
        std::memset(field_.destination, 0, static_cast<std::size_t>(field_.destination_bytes));
    }

    void wait() {
        int spins = 50;
        while (!transport_->done()) {
            if (!transport_->progress() && !transport_->done() && --spins < 0) {
                doorbell_.sleep(0.1, [&] { return transport_->progress(); });
            }
        }
    }

    void check(int epoch) const {
        for (std::int64_t row = 0; row < rows; ++row) {
            std::int64_t sum = 0;
            for (const int from : others(rank_)) {
                const auto expected = value(from, rank_, row, epoch);
                sum += expected;
                if (!summed_ && *row_at(field_.destination, (from * rows) + row) != expected) {
                    throw std::runtime_error("wrong row");
                }
            }
            if (summed_ && *row_at(field_.destination, row) != sum) {
                throw std::runtime_error("wrong sum");
            }
        }
    }

    int rank_;
    bool summed_;
    memory::Doorbell& doorbell_;
    const World& world_;
    copy::Field field_;
    std::uint64_t set_ = 0;
    std::vector<transport::FieldOffer> own_offers_;
    mpi::Communicator comm_;
    route::Route route_;
    transport::ApplyOrder apply_order_;
    std::vector<transport::PeerOffer> offers_;
    transport::Prepared prepared_;
    transport::Binding binding_;
    std::unique_ptr<transport::Transport> transport_;
};

void run(const transport::Entry& entry, copy::Operation operation, std::int64_t push_below_bytes) {
    World world;
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
        threads.emplace_back(
            [&, rank] { Rank(rank, world, entry, operation, push_below_bytes).run(); });
    }
    for (auto& thread : threads) {
        thread.join();
    }
}

}  // namespace

int main() {
    for (const auto& entry : {transport::shared_direct(), transport::shared_staged()}) {
        run(entry, copy::Operation::assign, 0);          // direct: all runs are pulled
        run(entry, copy::Operation::assign, INT64_MAX);  // pushed
        run(entry, copy::Operation::add, 0);
    }
    std::puts("every epoch of every rank was right");
}
