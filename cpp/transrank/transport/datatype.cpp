// SPDX-License-Identifier: BSD-3-Clause
// Messages that MPI packs: one derived datatype per peer and direction with one block per row, as
// DNDSR's ArrayTransformer makes them (MPI_Type_create_hindexed), sent and received by persistent
// requests. Neighboring rows are not joined, although the route knows the runs: this is kept to be
// compared with, and is never chosen by `auto`. Several fields are joined by a struct type.
#include "transrank/mpi/datatype.hpp"

#include <algorithm>
#include <limits>

#include "transrank/transport/persistent_transfer.hpp"
#include "transrank/transport/table.hpp"
#include "transrank/transport/tags.hpp"

namespace transrank::transport {
namespace {

constexpr std::int64_t largest_int = std::numeric_limits<int>::max();

// One side of a leg: source or destination.
struct Side {
    std::int64_t route::Segment::* offset;
    std::int64_t route::Segment::* stride;
};
constexpr Side source{.offset = &route::Segment::source, .stride = &route::Segment::source_stride};
constexpr Side destination{.offset = &route::Segment::destination,
                           .stride = &route::Segment::destination_stride};

std::vector<MPI_Aint> places_of_rows(const route::Leg& leg, const Side& side,
                                     std::int64_t unit_bytes) {
    std::vector<MPI_Aint> places;
    places.reserve(static_cast<std::size_t>(leg.units()));
    for (const auto& segment : leg.segments) {
        for (std::int64_t run = 0; run < segment.count; ++run) {
            const auto begin = segment.*side.offset + (run * segment.*side.stride);
            for (auto row = begin; row < begin + segment.length; ++row) {
                places.push_back(static_cast<MPI_Aint>(row * unit_bytes));
            }
        }
    }
    return places;
}

// `base_of` says where a field begins on that side.
template <class BaseOf>
mpi::Datatype type_of(const route::Leg& leg, const Side& side, std::span<const Field> fields,
                      const BaseOf& base_of) {
    std::vector<mpi::Datatype> types;
    std::vector<mpi::Datatype::Part> parts;
    for (const auto& field : fields) {
        const auto places = places_of_rows(leg, side, field.unit_bytes);
        const std::vector<int> lengths(places.size(), static_cast<int>(field.unit_bytes));
        types.push_back(mpi::Datatype::of_blocks(lengths, places));
        parts.push_back(
            {.displacement = mpi::address(base_of(field)), .type = types.back().handle()});
    }
    return mpi::Datatype::of_parts(parts);
}

class Datatype final : public PersistentTransfer {
public:
    Datatype(const Binding& binding, std::span<const PeerOffer* const> peers)
        : PersistentTransfer(binding, peers),
          binding_(binding),
          peers_(peers.begin(), peers.end()) {}

    void prepare() override {
        for (const auto* peer : peers_) {
            if (peer->receive != nullptr) {
                const auto type = type_of(*peer->receive, destination, binding_.fields,
                                          [](const Field& field) { return field.destination; });
                add_incoming(
                    peer->rank,
                    requests().add_receive_at_addresses(type.handle(), partner(peer->rank)), {});
            }
        }
        for (const auto* peer : peers_) {
            if (peer->send != nullptr) {
                const auto type = type_of(*peer->send, source, binding_.fields,
                                          [](const Field& field) { return field.source; });
                add_outgoing(peer->rank,
                             requests().add_send_at_addresses(type.handle(), partner(peer->rank)),
                             {});
            }
        }
    }

private:
    [[nodiscard]] mpi::Partner partner(int rank) const {
        return {.comm = binding_.comm, .rank = rank, .tag = data_tag};
    }

    const Binding& binding_;
    std::vector<const PeerOffer*> peers_;
};

// Blocks are counted, and their lengths given, in int.
bool is_countable(const route::Leg* leg, std::span<const Field> fields) {
    return leg == nullptr ||
           (leg->units() <= largest_int && std::ranges::all_of(fields, [](const Field& field) {
                return field.unit_bytes <= largest_int;
            }));
}

std::string obstacle(const Binding& binding, const PeerOffer& peer) {
    if (peer.rank == binding.comm.rank()) {
        return "the rank itself";
    }
    if ((peer.receive != nullptr && binding.turn.ordered()) ||
        (peer.send != nullptr && peer.ordered)) {
        return "MPI writes what arrives at once and in any order, so it can neither be combined "
               "nor "
               "overwrite other arrivals";
    }
    return is_countable(peer.send, binding.fields) && is_countable(peer.receive, binding.fields)
               ? ""
               : "more rows, or longer ones, than an int can count";
}

std::unique_ptr<Transport> make(const Binding& binding, std::span<const PeerOffer* const> peers) {
    return std::make_unique<Datatype>(binding, peers);
}

}  // namespace

Entry datatype() {
    return {.name = "datatype",
            .summary = "persistent messages of MPI_Type_create_hindexed, one block per row",
            .obstacle = obstacle,
            .all_or_none = false,
            .automatic = false,
            .by_messages = true,
            .make = make};
}

}  // namespace transrank::transport
