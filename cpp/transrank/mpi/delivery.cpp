// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/mpi/delivery.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "transrank/mpi/error.hpp"
#include "transrank/mpi/lifetime.hpp"
#include "transrank/mpi/point_to_point.hpp"

namespace transrank::mpi {
namespace {

std::optional<Message> receive_if_there(const Communicator& comm, int tag) {
    const auto status = arrived(comm.handle(), MPI_ANY_SOURCE, tag);
    if (!status) {
        return std::nullopt;
    }
    return Message{.peer = status->MPI_SOURCE, .bytes = receive(comm, status->MPI_SOURCE, tag)};
}

/// Enters a barrier once all own messages have been received; when it is over, everybody's have. No
/// barrier is needed where each rank knows how many messages come.
class Consensus {
public:
    Consensus(const Communicator& comm, std::vector<Message> messages,
              std::optional<std::size_t> coming)
        : comm_(comm),
          messages_(std::make_shared<std::vector<Message>>(std::move(messages))),
          coming_(coming) {}
    Consensus(const Consensus&) = delete;
    Consensus& operator=(const Consensus&) = delete;

    // Something has failed: MPI may still be reading the messages.
    ~Consensus() {
        if (std::ranges::any_of(sends_,
                                [](MPI_Request each) { return each != MPI_REQUEST_NULL; })) {
            keep_for_ever(messages_);
        }
    }

    void post(int tag) {
        for (const auto& message : *messages_) {
            // Synchronous: a send that has completed was received.
            const auto send = coming_ ? &MPI_Isend : &MPI_Issend;
            check(send(message.bytes.data(), static_cast<int>(message.bytes.size()), MPI_BYTE,
                       message.peer, tag, comm_.handle(), &sends_.emplace_back(MPI_REQUEST_NULL)),
                  coming_ ? "MPI_Isend" : "MPI_Issend");
        }
    }

    bool reached(std::size_t received) {
        if (barrier_ != MPI_REQUEST_NULL) {
            return is_complete(barrier_);
        }
        // Not MPI_Testall, which does not say why a send has failed.
        if (!std::ranges::all_of(sends_, [](MPI_Request& each) { return is_complete(each); })) {
            return false;
        }
        if (!coming_) {
            check(MPI_Ibarrier(comm_.handle(), &barrier_), "MPI_Ibarrier");
        }
        return coming_ == received;
    }

private:
    const Communicator& comm_;
    std::shared_ptr<std::vector<Message>> messages_;
    std::optional<std::size_t> coming_;
    std::vector<MPI_Request> sends_;
    MPI_Request barrier_ = MPI_REQUEST_NULL;
};

}  // namespace

std::vector<Message> deliver(const Communicator& comm, std::vector<Message> messages, int tag,
                             std::optional<std::size_t> coming) {
    Consensus consensus(comm, std::move(messages), coming);
    consensus.post(tag);
    std::vector<Message> received;
    comm.wait_until([&] {
        while (coming != received.size()) {
            auto message = receive_if_there(comm, tag);
            if (!message) {
                break;
            }
            received.push_back(std::move(*message));
        }
        return consensus.reached(received.size());
    });
    std::ranges::sort(received, {}, &Message::peer);
    return received;
}

}  // namespace transrank::mpi
