// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>

namespace transrank::lab::study::collectives {

/// What this process has sent by messages, as the MPI library counts it in performance variables of
/// MPI's tools interface. Not collective. Open MPI counts them when its variable
/// pml_monitoring_enable is set, what collective operations send included; MPICH has no such count.
class MessageCounter {
public:
    struct Count {
        std::uint64_t messages = 0;
        std::uint64_t bytes = 0;
    };

    /// Nothing where the library does not count.
    [[nodiscard]] static std::optional<MessageCounter> find();

    MessageCounter(const MessageCounter&) = delete;
    MessageCounter& operator=(const MessageCounter&) = delete;
    MessageCounter(MessageCounter&& other) noexcept;
    MessageCounter& operator=(MessageCounter&&) = delete;
    ~MessageCounter();

    /// Since the counter was made, over all communicators.
    [[nodiscard]] Count sent() const;

private:
    MessageCounter() = default;

    [[nodiscard]] bool allocate(const char* name, MPI_T_pvar_handle& handle);
    [[nodiscard]] std::uint64_t total(MPI_T_pvar_handle handle) const;

    bool initialised_ = false;
    MPI_T_pvar_session session_ = MPI_T_PVAR_SESSION_NULL;
    MPI_T_pvar_handle messages_ = MPI_T_PVAR_HANDLE_NULL;
    MPI_T_pvar_handle bytes_ = MPI_T_PVAR_HANDLE_NULL;
    int peers_ = 0;
};

}  // namespace transrank::lab::study::collectives
