// SPDX-License-Identifier: BSD-3-Clause
// Collectives of a neighborhood or of all ranks: described by datatypes, or packed by hand.
#include <mpi.h>

#include <utility>

#include "lab/study/baseline/baseline.hpp"
#include "lab/study/baseline/datatypes.hpp"
#include "lab/study/baseline/packing.hpp"
#include "lab/study/collectives/collective.hpp"
#include "lab/study/neighborhood/graph.hpp"
#include "lab/study/requests.hpp"
#include "transrank/copy/moves.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study::baseline {
namespace {

mpi::Communicator graph_of(const Task& task) {
    return neighborhood::adjacent(task.comm, peers_of(task.route.receives()),
                                  peers_of(task.route.sends()));
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
                addresses.push_back(address(joined.back().buffer));
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

/// Whether mpi.h declares MPI_Neighbor_alltoallv_init with these arguments: MPI 4.0 does, some
/// libraries of MPI 3.1 do as well.
template <class... Arguments>
inline constexpr bool has_init =
    requires(Arguments... arguments) { MPI_Neighbor_alltoallv_init(arguments...); };
bool is_persistent() {
    static const bool has =
        has_init<const std::byte*, const int*, const int*, MPI_Datatype, std::byte*, const int*,
                 const int*, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request*> &&
        study::collectives::library_has("MPI_Neighbor_alltoallv_init");
    return has;
}

/// Makes a persistent request where MPI has such ones.
template <class... Arguments>
void init(Arguments... arguments) {
    if constexpr (has_init<Arguments...>) {
        mpi::check(MPI_Neighbor_alltoallv_init(arguments...), "MPI_Neighbor_alltoallv_init");
    }
}

enum class Calls : std::uint8_t { blocking, nonblocking };

/// One field lands in place where all of its legs lie in one piece. What is not blocking is a
/// persistent collective where MPI has that.
class Packed final : public Mover {
public:
    Packed(Task given, Calls calls)
        : Mover(std::move(given)),
          calls_(calls),
          graph_(graph_of(task())),
          arriving_(route().receives(), task()),
          departing_(route().sends(), task()) {
        departing_.allocate();
        if (!land_in_place()) {
            arriving_.allocate();
        }
        landing_ =
            arriving_.buffer.empty() ? task().fields.front().destination : arriving_.buffer.data();
        if (calls_ == Calls::nonblocking && is_persistent()) {
            init(departing_.buffer.data(), departing_.counts.data(),
                 departing_.displacements.data(), MPI_BYTE, landing_, arriving_.counts.data(),
                 arriving_.displacements.data(), MPI_BYTE, graph_.handle(), MPI_INFO_NULL,
                 request_);
        }
    }

    void start() override {
        for (std::size_t i = 0; i < departing_.legs.size(); ++i) {
            departing_.legs[i].pack(departing_.block(i));
        }
        if (calls_ == Calls::nonblocking && is_persistent()) {
            mpi::check(MPI_Start(request_), "MPI_Start");
        } else if (calls_ == Calls::nonblocking) {
            mpi::check(
                MPI_Ineighbor_alltoallv(departing_.buffer.data(), departing_.counts.data(),
                                        departing_.displacements.data(), MPI_BYTE, landing_,
                                        arriving_.counts.data(), arriving_.displacements.data(),
                                        MPI_BYTE, graph_.handle(), request_),
                "MPI_Ineighbor_alltoallv");
        } else {
            mpi::check(
                MPI_Neighbor_alltoallv(departing_.buffer.data(), departing_.counts.data(),
                                       departing_.displacements.data(), MPI_BYTE, landing_,
                                       arriving_.counts.data(), arriving_.displacements.data(),
                                       MPI_BYTE, graph_.handle()),
                "MPI_Neighbor_alltoallv");
        }
    }

    void finish() override {
        mpi::check(MPI_Wait(request_, MPI_STATUS_IGNORE), "MPI_Wait");
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
            const auto unit = copy::contiguous_destination(leg);
            if (!unit || task().fields.size() > 1) {
                return false;
            }
            places.push_back(static_cast<int>(*unit * task().unit_bytes()));
        }
        arriving_.displacements = std::move(places);
        return true;
    }

    Calls calls_;
    mpi::Communicator graph_;
    Side arriving_;
    Side departing_;
    std::byte* landing_ = nullptr;
    Requests requests_;
    MPI_Request* request_ = requests_.add();
};

/// One MPI_Alltoallw per field, as mpi4py-fft does it.
class Alltoallw final : public Mover {
public:
    explicit Alltoallw(Task given)
        : Mover(std::move(given)),
          departing_(route().sends(), route::End::source, task()),
          arriving_(route().receives(), route::End::destination, task()) {}

    void start() override {
        for (const auto& field : task().fields) {
            mpi::check(MPI_Alltoallw(field.source + departing_.first, departing_.counts.data(),
                                     departing_.displacements.data(), departing_.handles.data(),
                                     field.destination + arriving_.first, arriving_.counts.data(),
                                     arriving_.displacements.data(), arriving_.handles.data(),
                                     task().comm.handle()),
                       "MPI_Alltoallw");
        }
    }

private:
    struct Side {
        Side(std::span<const route::Leg> legs, route::End end, const Task& task)
            : counts(static_cast<std::size_t>(task.comm.size())),
              displacements(counts.size()),
              handles(counts.size(), MPI_DOUBLE) {
            for (const auto& leg : legs) {
                const auto peer = static_cast<std::size_t>(leg.peer);
                auto [offset, type] = describe(leg, end, task);
                counts[peer] = 1;
                displacements[peer] = static_cast<int>(offset);
                handles[peer] = types.emplace_back(std::move(type)).handle();
            }
            if (displacements.size() == 1) {  // which Open MPI takes as a number of extents
                first = std::exchange(displacements.front(), 0);
            }
        }
        std::ptrdiff_t first = 0;  ///< bytes from the array to where displacements count from
        std::vector<int> counts;
        std::vector<int> displacements;
        std::vector<MPI_Datatype> handles;
        std::vector<Datatype> types;
    };
    Side departing_;
    Side arriving_;
};

}  // namespace

std::vector<Entry> collectives() {
    return {
        {.name = "mpi-neighborhood",
         .summary = "MPI_Neighbor_alltoallw with MPI datatypes",
         .make = made<Described>},
        {.name = "mpi-packed-neighborhood",
         .summary = "packed by hand, sent by MPI_Neighbor_alltoallv",
         .make = made<Packed, Calls::blocking>},
        {.name = "neighborhood",
         .summary = is_persistent() ? "packed by hand, sent by persistent MPI_Neighbor_alltoallv"
                                    : "packed by hand, sent by MPI_Ineighbor_alltoallv",
         .make = made<Packed, Calls::nonblocking>},
        {.name = "mpi-alltoallw",
         .summary = "MPI_Alltoallw with MPI datatypes, one call per field",
         .make = made<Alltoallw>}};
}

}  // namespace transrank::lab::study::baseline
