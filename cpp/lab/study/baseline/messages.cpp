// SPDX-License-Identifier: BSD-3-Clause
// Point to point: packed by hand, or described by datatypes.
#include <mpi.h>

#include <optional>

#include "lab/study/baseline/baseline.hpp"
#include "lab/study/baseline/datatypes.hpp"
#include "lab/study/baseline/packing.hpp"
#include "lab/study/requests.hpp"
#include "transrank/copy/moves.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study::baseline {
namespace {

/// What is for this rank itself is copied; one field lands in place where it lies in one piece.
class Packed final : public Mover {
public:
    explicit Packed(Task given) : Mover(std::move(given)) {
        const MPI_Comm comm = task().comm.handle();
        for (const auto& leg : route().receives()) {
            if (leg.peer == route().rank()) {
                within_.emplace(leg, task());
                continue;
            }
            auto& arrival = arrivals_.emplace_back(Side{Packing(leg, task()), {}});
            std::byte* place = in_place(leg);
            if (place == nullptr) {
                arrival.buffer.resize(arrival.packing.bytes());
                place = arrival.buffer.data();
            }
            mpi::check(MPI_Recv_init(place, static_cast<int>(arrival.packing.bytes()), MPI_BYTE,
                                     leg.peer, 0, comm, receives_.add()),
                       "MPI_Recv_init");
        }
        for (const auto& leg : route().sends()) {
            if (leg.peer == route().rank()) {
                continue;
            }
            auto& departure = departures_.emplace_back(Side{Packing(leg, task()), {}});
            departure.buffer.resize(departure.packing.bytes());
            mpi::check(
                MPI_Send_init(departure.buffer.data(), static_cast<int>(departure.buffer.size()),
                              MPI_BYTE, leg.peer, 0, comm, sends_.add()),
                "MPI_Send_init");
        }
    }

    void start() override {
        receives_.start_all();
        for (std::size_t i = 0; i < departures_.size(); ++i) {
            departures_[i].packing.pack(departures_[i].buffer.data());
            sends_.start(i);
        }
        if (within_) {
            within_->copy();
        }
    }

    void finish() override {
        receives_.wait_all();
        for (const auto& arrival : arrivals_) {
            if (!arrival.buffer.empty()) {
                arrival.packing.unpack(arrival.buffer.data());
            }
        }
        sends_.wait_all();
    }

private:
    struct Side {
        Packing packing;
        std::vector<std::byte> buffer;  ///< empty: received in place
    };

    [[nodiscard]] std::byte* in_place(const route::Leg& leg) const {
        const auto unit = copy::contiguous_destination(leg);
        return unit && task().fields.size() == 1
                   ? task().fields.front().destination + (*unit * task().unit_bytes())
                   : nullptr;
    }

    std::vector<Side> arrivals_;
    std::vector<Side> departures_;
    std::optional<Packing> within_;
    Requests receives_;
    Requests sends_;
};

enum class Calls : std::uint8_t { persistent, immediate };
enum class Within : std::uint8_t { sent, copied };

/// What a rank has for itself is a message as well, or copied by the library's loops.
class Described final : public Mover {
public:
    Described(Task given, Calls calls, Within within)
        : Mover(std::move(given)),
          persistent_(calls == Calls::persistent),
          arriving_(messages(route().receives(), route::End::destination, within)),
          departing_(messages(route().sends(), route::End::source, within)) {
        const auto* own = route::find_leg(route().sends(), route().rank());
        for (const auto& field : task().fields) {
            if (within == Within::copied && own != nullptr) {
                within_.push_back(copy::make_move(*own, field, copy::Operation::assign,
                                                  field.source, field.destination));
            }
        }
        if (persistent_) {
            add(MPI_Recv_init, arriving_, "MPI_Recv_init");
            add(MPI_Send_init, departing_, "MPI_Send_init");
        }
    }

    void start() override {
        if (persistent_) {
            requests_.start_all();
        } else {
            requests_.forget();
            add(MPI_Irecv, arriving_, "MPI_Irecv");
            add(MPI_Isend, departing_, "MPI_Isend");
        }
        copy::execute(within_);
    }
    void finish() override { requests_.wait_all(); }

private:
    struct Message {
        int peer;
        int tag;
        JoinedType data;
    };

    [[nodiscard]] std::vector<Message> messages(std::span<const route::Leg> legs, route::End end,
                                                Within within) const {
        std::vector<Message> all;
        for (const auto& part : parts(legs, task())) {
            if (within == Within::copied && part.peer == route().rank()) {
                continue;
            }
            const bool further = !all.empty() && all.back().peer == part.peer;
            all.push_back({.peer = part.peer,
                           .tag = further ? all.back().tag + 1 : 0,
                           .data = describe_joined(part, end, task())});
        }
        return all;
    }

    template <class Call>
    void add(const Call& call, const std::vector<Message>& messages, const char* name) {
        for (const auto& message : messages) {
            mpi::check(call(message.data.buffer, 1, message.data.type.handle(), message.peer,
                            message.tag, task().comm.handle(), requests_.add()),
                       name);
        }
    }

    bool persistent_;
    Requests requests_;
    std::vector<Message> arriving_;
    std::vector<Message> departing_;
    std::vector<copy::Move> within_;
};

std::unique_ptr<Mover> by_rows(Task task) {
    task.description = Description::rows;
    return std::make_unique<Described>(std::move(task), Calls::persistent, Within::copied);
}

}  // namespace

std::vector<Entry> messages() {
    return {{.name = "mpi-packed",
             .summary = "packed by hand, persistent messages (MPI_Send_init, MPI_Recv_init)",
             .make = made<Packed>},
            {.name = "mpi-datatype",
             .summary = "persistent messages with MPI datatypes",
             .make = made<Described, Calls::persistent, Within::sent>},
            {.name = "datatype",
             .summary =
                 "persistent messages with one datatype block per row; rows that stay on the rank "
                 "are copied",
             .make = by_rows},
            {.name = "mpi-messages",
             .summary = "MPI_Isend and MPI_Irecv with MPI datatypes",
             .make = made<Described, Calls::immediate, Within::sent>}};
}

}  // namespace transrank::lab::study::baseline
