// SPDX-License-Identifier: BSD-3-Clause
// The least that a program with shared memory of its own does: a loop of memcpy over the runs that
// arrive, from where they lie in the arrays of their owners, between two flags. No rank may read
// before its peer has said that the sources are ready, and none may go on, and rewrite them, before
// its peers have said that they have read. What the library adds to this is its overhead.
#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

#include "transrank/memory/shared_segment.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/error.hpp"
#include "transrank/route/runs.hpp"
#include "transrank/study/bundles/way.hpp"
#include "transrank/transport/control_block.hpp"

namespace transrank::study::bundles {
namespace {

using memory::MappedSegment;
using transport::Flag;

/// What the others must know of a rank. Plain data.
struct Told {
    memory::SegmentHandle source;
    memory::SegmentHandle flags;
    std::uint64_t source_offset = 0;
    std::uint64_t field_bytes = 0;  ///< from one field of the source to the next
};

struct Copy {
    std::byte* to;
    const std::byte* from;
    std::size_t bytes;
};

struct Flags {
    Flag ready;  ///< the sources of so many redistributions could be read
    Flag read;   ///< the sources of all peers have been read so often
};

/// A peer that is read from, or that reads.
struct Peer {
    const Flags* flags;
    std::vector<Copy> copies;
};

class FromPeers final : public Bundle {
public:
    FromPeers(const measure::Case& point, const Setting& setting, const Arrays& arrays)
        : Bundle(point, setting, arrays) {
        const auto route = task().route(setting.comm.handle());
        Told mine;
        mpi::agree(setting.comm, [&] { mine = tell(); });
        std::vector<Told> all(static_cast<std::size_t>(setting.comm.size()));
        mpi::check(MPI_Allgather(&mine, sizeof(mine), MPI_BYTE, all.data(), sizeof(mine), MPI_BYTE,
                                 setting.comm.handle()),
                   "MPI_Allgather");
        mpi::agree(setting.comm, [&] { connect(route, all); });
    }

protected:
    void redistribute() override {
        ++epoch_;
        own_->ready.publish(epoch_);
        copy(within_);
        for (const auto& peer : senders_) {
            await(peer.flags->ready);
            copy(peer.copies);
        }
        own_->read.publish(epoch_);
        for (const auto* peer : readers_) {
            await(peer->read);
        }
    }

private:
    Told tell() {
        flags_ = std::make_unique<memory::SharedSegment>(sizeof(Flags));
        own_ = new (flags_->bytes().data()) Flags;
        const auto source = std::as_bytes(arrays().source);
        const auto place = memory::SharedSegment::find(source.data(), source.size());
        return {.source = place.value().handle,
                .flags = flags_->handle(),
                .source_offset = place->offset,
                .field_bytes = source.size() / fields};
    }

    std::byte* map(const memory::SegmentHandle& handle) {
        return mappings_.emplace_back(MappedSegment::get(handle))->bytes().data();
    }

    void connect(const route::Route& route, const std::vector<Told>& all) {
        const auto own_bytes = arrays().destination.size_bytes() / fields;
        auto* const to = std::as_writable_bytes(arrays().destination).data();
        for (const auto& leg : route.receives()) {
            const auto& told = all[static_cast<std::size_t>(leg.peer)];
            const auto* from = map(told.source) + told.source_offset;
            std::vector<Copy> copies;
            for (std::size_t field = 0; field < fields; ++field) {
                route::for_each_run(
                    leg, [&](std::int64_t source, std::int64_t destination, std::int64_t length) {
                        const auto bytes = [](std::int64_t units) {
                            return static_cast<std::size_t>(units) * sizeof(double);
                        };
                        copies.push_back({.to = to + (field * own_bytes) + bytes(destination),
                                          .from = from + (field * told.field_bytes) + bytes(source),
                                          .bytes = bytes(length)});
                    });
            }
            if (leg.peer == task().rank) {
                within_ = std::move(copies);
            } else {
                senders_.push_back({.flags = flags_of(told), .copies = std::move(copies)});
            }
        }
        for (const auto& leg : route.sends()) {
            if (leg.peer != task().rank) {
                readers_.push_back(flags_of(all[static_cast<std::size_t>(leg.peer)]));
            }
        }
    }

    const Flags* flags_of(const Told& told) {
        return reinterpret_cast<const Flags*>(map(told.flags));
    }

    static void copy(const std::vector<Copy>& copies) {
        for (const auto& each : copies) {
            std::memcpy(each.to, each.from, each.bytes);
        }
    }

    void await(const Flag& flag) const {
        constexpr int patience = 10'000;
        for (int looks = 0; flag.seen() < epoch_; ++looks) {
            if (looks > patience) {
                std::this_thread::yield();
            }
        }
    }

    std::unique_ptr<memory::SharedSegment> flags_;
    Flags* own_ = nullptr;
    std::vector<std::shared_ptr<MappedSegment>> mappings_;
    std::vector<Copy> within_;
    std::vector<Peer> senders_;
    std::vector<const Flags*> readers_;
    std::uint64_t epoch_ = 0;
};

}  // namespace

Way memcpy_from_peers() {
    return {.name = "memcpy-from-peers",
            .summary = "the runs that arrive, each by memcpy from its owner's array, between flags",
            .floor = false,
            .shared = true,
            .make = [](const measure::Case& point, const Setting& setting,
                       const Arrays& arrays) -> std::unique_ptr<Bundle> {
                return std::make_unique<FromPeers>(point, setting, arrays);
            }};
}

}  // namespace transrank::study::bundles
