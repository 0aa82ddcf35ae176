// SPDX-License-Identifier: BSD-3-Clause
// A neighborhood collective for all peers: described by datatypes, or packed by hand.
#include <mpi.h>

#include <algorithm>

#include "transrank/mpi/error.hpp"
#include "transrank/study/baseline/baseline.hpp"
#include "transrank/study/baseline/datatypes.hpp"
#include "transrank/study/baseline/packing.hpp"
#include "transrank/transport/moves.hpp"

namespace transrank::study::baseline {
namespace {

mpi::Communicator graph_of(const Task& task) {
    const auto peers = [](std::span<const route::Leg> legs) {
        std::vector<int> ranks;
        std::ranges::transform(legs, std::back_inserter(ranks), &route::Leg::peer);
        return ranks;
    };
    return task.comm.adjacent(peers(task.route.receives()), peers(task.route.sends()));
}

class Described final : public Mover {
public:
    explicit Described(Task given)
        : Mover(std::move(given)),
          graph_(graph_of(task())),
          arriving_(route().receives(), route::End::destination, task()),
          departing_(route().sends(), route::End::source, task()) {}

    void start() override {
        mpi::check(MPI_Neighbor_alltoallw(
                       MPI_BOTTOM, departing_.counts.data(), departing_.addresses.data(),
                       departing_.handles.data(), MPI_BOTTOM, arriving_.counts.data(),
                       arriving_.addresses.data(), arriving_.handles.data(), graph_.handle()),
                   "MPI_Neighbor_alltoallw");
    }

private:
    struct Side {
        Side(std::span<const route::Leg> legs, route::End end, const Task& task)
            : counts(legs.size(), 1) {
            for (const auto& leg : legs) {
                joined.push_back(describe_joined(leg, end, task));
                addresses.push_back(mpi::address(joined.back().buffer));
                handles.push_back(joined.back().type.handle());
            }
        }
        std::vector<int> counts;
        std::vector<JoinedType> joined;
        std::vector<MPI_Aint> addresses;
        std::vector<MPI_Datatype> handles;
    };
    mpi::Communicator graph_;
    Side arriving_;
    Side departing_;
};

/// One field lands in place where all of its legs lie in one piece.
class Packed final : public Mover {
public:
    explicit Packed(Task given)
        : Mover(std::move(given)),
          graph_(graph_of(task())),
          arriving_(route().receives(), task()),
          departing_(route().sends(), task()) {
        departing_.allocate();
        if (!land_in_place()) {
            arriving_.allocate();
        }
    }

    void start() override {
        for (std::size_t i = 0; i < departing_.legs.size(); ++i) {
            departing_.legs[i].pack(departing_.block(i));
        }
        std::byte* const landing =
            arriving_.buffer.empty() ? task().fields.front().destination : arriving_.buffer.data();
        mpi::check(MPI_Neighbor_alltoallv(departing_.buffer.data(), departing_.counts.data(),
                                          departing_.displacements.data(), MPI_BYTE, landing,
                                          arriving_.counts.data(), arriving_.displacements.data(),
                                          MPI_BYTE, graph_.handle()),
                   "MPI_Neighbor_alltoallv");
        for (std::size_t i = 0; !arriving_.buffer.empty() && i < arriving_.legs.size(); ++i) {
            arriving_.legs[i].unpack(arriving_.block(i));
        }
    }

private:
    struct Side {
        Side(std::span<const route::Leg> all, const Task& task) {
            for (const auto& leg : all) {
                displacements.push_back(static_cast<int>(bytes));
                bytes += legs.emplace_back(leg, task).bytes();
                counts.push_back(static_cast<int>(legs.back().bytes()));
            }
        }
        void allocate() { buffer.resize(bytes); }
        [[nodiscard]] std::byte* block(std::size_t i) { return buffer.data() + displacements[i]; }

        std::vector<Packing> legs;
        std::vector<int> counts;
        std::vector<int> displacements;
        std::size_t bytes = 0;
        std::vector<std::byte> buffer;  ///< empty: in place
    };

    bool land_in_place() {
        std::vector<int> places;
        for (const auto& leg : route().receives()) {
            const auto unit = transport::contiguous_destination(leg);
            if (!unit || task().fields.size() > 1) {
                return false;
            }
            places.push_back(static_cast<int>(*unit * task().unit_bytes()));
        }
        arriving_.displacements = std::move(places);
        return true;
    }

    mpi::Communicator graph_;
    Side arriving_;
    Side departing_;
};

}  // namespace

std::vector<Entry> neighborhoods() {
    return {{.name = "mpi-neighborhood",
             .summary = "MPI_Neighbor_alltoallw of datatypes",
             .make = made<Described>},
            {.name = "mpi-packed-neighborhood",
             .summary = "packed by hand, MPI_Neighbor_alltoallv",
             .make = made<Packed>}};
}

}  // namespace transrank::study::baseline
