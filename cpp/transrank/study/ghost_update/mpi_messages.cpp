// SPDX-License-Identifier: BSD-3-Clause
// Two ways with persistent messages: rows packed by hand, and rows described by datatypes.
#include <mpi.h>

#include <optional>
#include <utility>
#include <vector>

#include "transrank/mpi/error.hpp"
#include "transrank/mpi/lifetime.hpp"
#include "transrank/study/ghost_update/rows_datatype.hpp"
#include "transrank/study/ghost_update/way.hpp"
#include "transrank/study/hand_packing.hpp"
#include "transrank/transport/moves.hpp"

namespace transrank::study::ghost_update {
namespace {

constexpr int tag = 0;

/// Persistent requests that are started and waited for all together.
class Requests {
public:
    Requests() = default;
    Requests(const Requests&) = delete;
    Requests& operator=(const Requests&) = delete;
    ~Requests() {
        if (mpi::is_usable()) {
            for (auto& request : requests_) {
                MPI_Request_free(&request);
            }
        }
    }

    [[nodiscard]] MPI_Request* add() { return &requests_.emplace_back(MPI_REQUEST_NULL); }
    void start() {
        if (!requests_.empty()) {  // Open MPI refuses to start nothing
            mpi::check(MPI_Startall(static_cast<int>(requests_.size()), requests_.data()),
                       "MPI_Startall");
        }
    }
    void wait() {
        mpi::check(
            MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
    }

private:
    std::vector<MPI_Request> requests_;
};

class Packed final : public Update {
public:
    Packed(const measure::Case& point, const Setting& setting, const Arrays& arrays)
        : Update(point, setting, arrays) {
        const int own = setting.comm.rank();
        const MPI_Comm comm = setting.comm.handle();
        for (const auto& leg : route().receives()) {
            if (leg.peer == own) {
                within_.emplace(leg, row_bytes());
                continue;
            }
            auto& arrival = arrivals_.emplace_back(Side{HandPacking(leg, row_bytes()), {}});
            std::byte* place = field().destination;
            if (const auto in_place = transport::contiguous_destination(leg)) {
                place += *in_place * row_bytes();
            } else {
                arrival.buffer.resize(arrival.packing.bytes());
                place = arrival.buffer.data();
            }
            mpi::check(MPI_Recv_init(place, static_cast<int>(arrival.packing.bytes()), MPI_BYTE,
                                     leg.peer, tag, comm, receives_.add()),
                       "MPI_Recv_init");
        }
        for (const auto& leg : route().sends()) {
            if (leg.peer != own) {
                HandPacking packing(leg, row_bytes());
                std::vector<std::byte> buffer(packing.bytes());
                auto& departure =
                    departures_.emplace_back(Side{std::move(packing), std::move(buffer)});
                mpi::check(MPI_Send_init(departure.buffer.data(),
                                         static_cast<int>(departure.buffer.size()), MPI_BYTE,
                                         leg.peer, tag, comm, sends_.add()),
                           "MPI_Send_init");
            }
        }
    }

protected:
    void update() override {
        const auto rows = field();
        receives_.start();
        for (auto& departure : departures_) {
            departure.packing.pack(rows.source, departure.buffer.data());
        }
        sends_.start();
        if (within_) {
            within_->copy(rows.source, rows.destination);
        }
        receives_.wait();
        for (const auto& arrival : arrivals_) {
            if (!arrival.buffer.empty()) {
                arrival.packing.unpack(arrival.buffer.data(), rows.destination);
            }
        }
        sends_.wait();
    }

private:
    struct Side {
        HandPacking packing;
        std::vector<std::byte> buffer;  ///< empty: received in place
    };
    std::vector<Side> arrivals_;
    std::vector<Side> departures_;
    std::optional<HandPacking> within_;
    Requests receives_;
    Requests sends_;
};

/// Also what a rank sends to itself is a message, as with the ArrayTransformer.
class Described final : public Update {
public:
    Described(const measure::Case& point, const Setting& setting, const Arrays& arrays)
        : Update(point, setting, arrays) {
        const MPI_Comm comm = setting.comm.handle();
        for (const auto& leg : route().receives()) {
            const auto type = rows_datatype(leg, route::End::destination, row_bytes());
            mpi::check(MPI_Recv_init(field().destination, 1, type.handle(), leg.peer, tag, comm,
                                     requests_.add()),
                       "MPI_Recv_init");
        }
        for (const auto& leg : route().sends()) {
            const auto type = rows_datatype(leg, route::End::source, row_bytes());
            mpi::check(MPI_Send_init(field().source, 1, type.handle(), leg.peer, tag, comm,
                                     requests_.add()),
                       "MPI_Send_init");
        }
    }

protected:
    void update() override {
        requests_.start();
        requests_.wait();
    }

private:
    Requests requests_;
};

}  // namespace

Way mpi_packed() {
    return {.name = "mpi-packed",
            .summary = "packed by hand, persistent MPI_Send and MPI_Recv",
            .make = [](const measure::Case& point, const Setting& setting,
                       const Arrays& arrays) -> std::unique_ptr<Update> {
                return std::make_unique<Packed>(point, setting, arrays);
            }};
}

Way mpi_datatype() {
    return {.name = "mpi-datatype",
            .summary = "persistent messages of a datatype with a block for each row",
            .make = [](const measure::Case& point, const Setting& setting,
                       const Arrays& arrays) -> std::unique_ptr<Update> {
                return std::make_unique<Described>(point, setting, arrays);
            }};
}

}  // namespace transrank::study::ghost_update
