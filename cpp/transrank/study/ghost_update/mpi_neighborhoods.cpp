// SPDX-License-Identifier: BSD-3-Clause
// Two ways with a neighborhood collective: rows described by datatypes, and rows packed by hand.
#include <mpi.h>

#include <algorithm>
#include <vector>

#include "transrank/mpi/error.hpp"
#include "transrank/study/ghost_update/rows_datatype.hpp"
#include "transrank/study/ghost_update/way.hpp"
#include "transrank/study/hand_packing.hpp"
#include "transrank/transport/moves.hpp"

namespace transrank::study::ghost_update {
namespace {

mpi::Communicator graph_of(const route::Route& route, const mpi::Communicator& comm) {
    std::vector<int> sources;
    std::vector<int> destinations;
    for (const auto& leg : route.receives()) {
        sources.push_back(leg.peer);
    }
    for (const auto& leg : route.sends()) {
        destinations.push_back(leg.peer);
    }
    return comm.adjacent(sources, destinations);
}

class Described final : public Update {
public:
    Described(const measure::Case& point, const Setting& setting, const Arrays& arrays)
        : Update(point, setting, arrays), graph_(graph_of(route(), setting.comm)) {
        for (const auto& leg : route().receives()) {
            arrivals_.add(rows_datatype(leg, route::End::destination, row_bytes()));
        }
        for (const auto& leg : route().sends()) {
            departures_.add(rows_datatype(leg, route::End::source, row_bytes()));
        }
    }

protected:
    void update() override {
        const auto rows = field();
        mpi::check(MPI_Neighbor_alltoallw(
                       rows.source, departures_.counts.data(), departures_.displacements.data(),
                       departures_.handles.data(), rows.destination, arrivals_.counts.data(),
                       arrivals_.displacements.data(), arrivals_.handles.data(), graph_.handle()),
                   "MPI_Neighbor_alltoallw");
    }

private:
    struct Side {
        void add(mpi::Datatype type) {
            counts.push_back(1);
            displacements.push_back(0);
            handles.push_back(type.handle());
            types.push_back(std::move(type));
        }
        std::vector<int> counts;
        std::vector<MPI_Aint> displacements;
        std::vector<MPI_Datatype> handles;
        std::vector<mpi::Datatype> types;
    };
    mpi::Communicator graph_;
    Side arrivals_;
    Side departures_;
};

class Packed final : public Update {
public:
    Packed(const measure::Case& point, const Setting& setting, const Arrays& arrays)
        : Update(point, setting, arrays), graph_(graph_of(route(), setting.comm)) {
        for (const auto& leg : route().sends()) {
            departures_.add(leg, row_bytes());
        }
        departures_.buffer.resize(departures_.bytes());
        in_place_ = std::ranges::all_of(route().receives(), [](const route::Leg& leg) {
            return transport::contiguous_destination(leg).has_value();
        });
        for (const auto& leg : route().receives()) {
            arrivals_.add(leg, row_bytes());
            if (in_place_) {
                arrivals_.displacements.back() =
                    static_cast<int>(*transport::contiguous_destination(leg) * row_bytes());
            }
        }
        arrivals_.buffer.resize(in_place_ ? 0 : arrivals_.bytes());
    }

protected:
    void update() override {
        const auto rows = field();
        for (std::size_t i = 0; i < departures_.legs.size(); ++i) {
            departures_.legs[i].pack(rows.source, departures_.block(i));
        }
        std::byte* const arriving = in_place_ ? rows.destination : arrivals_.buffer.data();
        mpi::check(MPI_Neighbor_alltoallv(departures_.buffer.data(), departures_.counts.data(),
                                          departures_.displacements.data(), MPI_BYTE, arriving,
                                          arrivals_.counts.data(), arrivals_.displacements.data(),
                                          MPI_BYTE, graph_.handle()),
                   "MPI_Neighbor_alltoallv");
        for (std::size_t i = 0; !in_place_ && i < arrivals_.legs.size(); ++i) {
            arrivals_.legs[i].unpack(arrivals_.block(i), rows.destination);
        }
    }

private:
    struct Side {
        void add(const route::Leg& leg, std::int64_t row_bytes) {
            displacements.push_back(static_cast<int>(bytes()));
            counts.push_back(static_cast<int>(legs.emplace_back(leg, row_bytes).bytes()));
        }
        [[nodiscard]] std::size_t bytes() const {
            return legs.empty() ? 0
                                : static_cast<std::size_t>(displacements.back() + counts.back());
        }
        [[nodiscard]] std::byte* block(std::size_t i) { return buffer.data() + displacements[i]; }

        std::vector<HandPacking> legs;
        std::vector<int> counts;
        std::vector<int> displacements;
        std::vector<std::byte> buffer;
    };
    mpi::Communicator graph_;
    bool in_place_ = false;  ///< every leg arrives in one piece of the ghosts
    Side arrivals_;
    Side departures_;
};

}  // namespace

Way mpi_neighborhood() {
    return {.name = "mpi-neighborhood",
            .summary = "MPI_Neighbor_alltoallw of datatypes with a block for each row",
            .make = [](const measure::Case& point, const Setting& setting,
                       const Arrays& arrays) -> std::unique_ptr<Update> {
                return std::make_unique<Described>(point, setting, arrays);
            }};
}

Way mpi_packed_neighborhood() {
    return {.name = "mpi-packed-neighborhood",
            .summary = "packed by hand, MPI_Neighbor_alltoallv",
            .make = [](const measure::Case& point, const Setting& setting,
                       const Arrays& arrays) -> std::unique_ptr<Update> {
                return std::make_unique<Packed>(point, setting, arrays);
            }};
}

}  // namespace transrank::study::ghost_update
