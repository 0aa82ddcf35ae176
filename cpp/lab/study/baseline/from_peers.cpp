// SPDX-License-Identifier: BSD-3-Clause
// What a program with shared memory of its own does: it copies straight from the arrays of their
// owners. No rank may read before its peer has said that the sources are ready, and none may
// rewrite them before its peers have said that they have read. A floor waits for neither within the
// time: it shows what the machine itself asks for, memory and crossing. What the library adds to
// the other is its overhead.
#include <algorithm>
#include <map>
#include <new>
#include <stdexcept>
#include <thread>

#include "lab/study/baseline/baseline.hpp"
#include "lab/study/baseline/packing.hpp"
#include "transrank/copy/moves.hpp"
#include "transrank/memory/shared_segment.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/collectives.hpp"
#include "transrank/transport/control_block.hpp"

namespace transrank::lab::study::baseline {
namespace {

using memory::MappedSegment;
using memory::SharedSegment;

/// The sources of each rank, open to its peers where they lie, and two counters by which ranks say
/// when they may be read and have been.
class OpenSources {
public:
    /// Collective. Throws mpi::AgreedError where a peer cannot map a rank's sources.
    explicit OpenSources(const Task& task) : fields_(task.fields) {
        Opened mine;
        mpi::agree(task.comm, [&] { mine = open(); });
        const auto all = mpi::gathered(task.comm, mine);
        mpi::agree(task.comm, [&] { connect(task.route, all); });
    }

    /// Where the i-th field of a rank that the route receives from begins.
    [[nodiscard]] const std::byte* of(int sender, std::size_t field) const {
        const auto sources = sources_.at(sender);
        return sources.data() + (field * (sources.size() / fields_.size()));
    }

    /// This rank's sources may be read for the `epoch`-th time.
    void publish_ready(std::uint64_t epoch) { own_->ready.publish(epoch); }
    /// This rank has read what it receives for the `epoch`-th time.
    void publish_read(std::uint64_t epoch) { own_->read.publish(epoch); }
    /// Until a peer's sources may be read that often; at once for this rank itself.
    void await_ready(int sender, std::uint64_t epoch) const {
        if (const auto found = senders_.find(sender); found != senders_.end()) {
            await(found->second->ready, epoch);
        }
    }
    /// Waits until every peer has read this rank's sources that often.
    void await_readers(std::uint64_t epoch) const {
        for (const auto* reader : readers_) {
            await(reader->read, epoch);
        }
    }

private:
    struct Flags {
        transport::Flag ready;
        transport::Flag read;
    };
    /// What the others must know of a rank. Plain data.
    struct Opened {
        memory::SegmentHandle sources;
        memory::SegmentHandle flags;
        std::uint64_t offset = 0;
        std::uint64_t bytes = 0;
    };

    [[nodiscard]] Opened open() {
        segment_ = std::make_unique<SharedSegment>(sizeof(Flags));
        own_ = new (segment_->bytes().data()) Flags;
        std::uint64_t bytes = 0;
        for (const auto& field : fields_) {
            bytes += static_cast<std::uint64_t>(field.source_bytes);
        }
        const auto place = SharedSegment::find(fields_.front().source, bytes);
        if (!place) {
            throw std::runtime_error("the sources lie in memory that other ranks cannot map");
        }
        return {.sources = place->handle,
                .flags = segment_->handle(),
                .offset = place->offset,
                .bytes = bytes};
    }

    void connect(const route::Route& route, std::span<const Opened> all) {
        for (const auto& leg : route.receives()) {
            const auto& opened = all[static_cast<std::size_t>(leg.peer)];
            sources_[leg.peer] = {map(opened.sources) + opened.offset, opened.bytes};
            if (leg.peer != route.rank()) {
                senders_[leg.peer] = &flags_of(opened);
            }
        }
        for (const auto& leg : route.sends()) {
            if (leg.peer != route.rank()) {
                readers_.push_back(&flags_of(all[static_cast<std::size_t>(leg.peer)]));
            }
        }
    }

    [[nodiscard]] const std::byte* map(const memory::SegmentHandle& handle) {
        return mappings_.emplace_back(MappedSegment::get(handle))->bytes().data();
    }
    [[nodiscard]] const Flags& flags_of(const Opened& opened) {
        return *std::launder(reinterpret_cast<const Flags*>(map(opened.flags)));
    }
    static void await(const transport::Flag& flag, std::uint64_t epoch) {
        constexpr int patience = 10'000;
        for (int looks = 0; flag.seen() < epoch; ++looks) {
            if (looks > patience) {
                std::this_thread::yield();
            }
        }
    }

    std::span<const copy::Field> fields_;
    std::unique_ptr<SharedSegment> segment_;
    Flags* own_ = nullptr;
    std::vector<std::shared_ptr<MappedSegment>> mappings_;
    std::map<int, std::span<const std::byte>> sources_;
    std::map<int, const Flags*> senders_;
    std::vector<const Flags*> readers_;
};

/// By the library's own loops, waiting between the updates.
class Gathered final : public Mover {
public:
    explicit Gathered(Task given) : Mover(std::move(given)), open_(task()) {
        for (const auto& leg : route().receives()) {
            for (std::size_t i = 0; i < task().fields.size(); ++i) {
                const auto& field = task().fields[i];
                moves_.push_back(copy::make_move(leg, field, copy::Operation::assign,
                                                 open_.of(leg.peer, i), field.destination));
            }
        }
    }

    void before_rewriting() override { open_.await_readers(epoch_); }

    void after_rewriting() override {
        ++epoch_;
        open_.publish_ready(epoch_);
        for (const auto& leg : route().receives()) {
            open_.await_ready(leg.peer, epoch_);
        }
    }

    void start() override {
        copy::execute(moves_);
        open_.publish_read(epoch_);
    }

private:
    OpenSources open_;
    std::vector<copy::Move> moves_;
    std::uint64_t epoch_ = 0;
};

/// By a loop of memcpy over the runs, waiting where it must.
class Copied final : public Mover {
public:
    explicit Copied(Task given) : Mover(std::move(given)), open_(task()) {
        for (const auto& leg : route().receives()) {
            auto& arrival = arrivals_.emplace_back(Arrival{leg.peer, {}, Packing(leg, task())});
            for (std::size_t i = 0; i < task().fields.size(); ++i) {
                arrival.sources.push_back(open_.of(leg.peer, i));
            }
        }
        // What needs no waiting goes first.
        std::ranges::partition(
            arrivals_, [&](int sender) { return sender == route().rank(); }, &Arrival::sender);
    }

    void start() override {
        ++epoch_;
        open_.publish_ready(epoch_);
        for (const auto& arrival : arrivals_) {
            open_.await_ready(arrival.sender, epoch_);
            arrival.packing.copy_from(arrival.sources);
        }
        open_.publish_read(epoch_);
    }

    void finish() override { open_.await_readers(epoch_); }

private:
    struct Arrival {
        int sender;
        std::vector<const std::byte*> sources;  ///< one per field
        Packing packing;
    };

    OpenSources open_;
    std::vector<Arrival> arrivals_;
    std::uint64_t epoch_ = 0;
};

}  // namespace

std::vector<Entry> from_peers() {
    return {{.name = "floor-from-peers",
             .summary = "a gather from the owners' arrays: what memory and crossing cores cost",
             .shared = true,
             .make = made<Gathered>},
            {.name = "memcpy-from-peers",
             .summary =
                 "a memcpy per received contiguous piece from its owner's array, with flags before "
                 "and after",
             .shared = true,
             .make = made<Copied>}};
}

}  // namespace transrank::lab::study::baseline
