// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/collectives/message_counter.hpp"

#include <numeric>
#include <utility>
#include <vector>

#include "transrank/mpi/error.hpp"

namespace transrank::lab::study::collectives {

std::optional<MessageCounter> MessageCounter::find() {
    MessageCounter found;
    int level = MPI_THREAD_SINGLE;
    mpi::check(MPI_T_init_thread(MPI_THREAD_SINGLE, &level), "MPI_T_init_thread");
    found.initialised_ = true;
    mpi::check(MPI_T_pvar_session_create(&found.session_), "MPI_T_pvar_session_create");
    if (!found.allocate("pml_monitoring_messages_count", found.messages_) ||
        !found.allocate("pml_monitoring_messages_size", found.bytes_)) {
        return std::nullopt;
    }
    return found;
}

MessageCounter::MessageCounter(MessageCounter&& other) noexcept
    : initialised_(std::exchange(other.initialised_, false)),
      session_(std::exchange(other.session_, MPI_T_PVAR_SESSION_NULL)),
      messages_(std::exchange(other.messages_, MPI_T_PVAR_HANDLE_NULL)),
      bytes_(std::exchange(other.bytes_, MPI_T_PVAR_HANDLE_NULL)),
      peers_(other.peers_) {}

MessageCounter::~MessageCounter() {
    for (auto* handle : {&messages_, &bytes_}) {
        if (*handle != MPI_T_PVAR_HANDLE_NULL) {
            MPI_T_pvar_stop(session_, *handle);
            MPI_T_pvar_handle_free(session_, handle);
        }
    }
    if (session_ != MPI_T_PVAR_SESSION_NULL) {
        MPI_T_pvar_session_free(&session_);
    }
    if (initialised_) {
        MPI_T_finalize();
    }
}

MessageCounter::Count MessageCounter::sent() const {
    return {.messages = total(messages_), .bytes = total(bytes_)};
}

// Open MPI counts by rank of MPI_COMM_WORLD, and for that communicator alone.
bool MessageCounter::allocate(const char* name, MPI_T_pvar_handle& handle) {
    int index = 0;
    if (MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_SIZE, &index) != MPI_SUCCESS) {
        return false;
    }
    auto world = MPI_COMM_WORLD;
    return MPI_T_pvar_handle_alloc(session_, index, &world, &handle, &peers_) == MPI_SUCCESS &&
           peers_ > 0 && MPI_T_pvar_start(session_, handle) == MPI_SUCCESS;
}

std::uint64_t MessageCounter::total(MPI_T_pvar_handle handle) const {
    std::vector<std::uint64_t> by_peer(static_cast<std::size_t>(peers_));
    mpi::check(MPI_T_pvar_read(session_, handle, by_peer.data()), "MPI_T_pvar_read");
    return std::accumulate(by_peer.begin(), by_peer.end(), std::uint64_t{0});
}

}  // namespace transrank::lab::study::collectives
