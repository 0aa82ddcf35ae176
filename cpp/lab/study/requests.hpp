// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "transrank/mpi/error.hpp"
#include "transrank/mpi/lifetime.hpp"

namespace transrank::lab::study {

/// Requests of one operation. Persistent ones are freed at the end, others have ended by then.
class Requests {
public:
    Requests() = default;
    Requests(const Requests&) = delete;
    Requests& operator=(const Requests&) = delete;
    ~Requests() {
        for (auto& request : requests_) {
            if (request != MPI_REQUEST_NULL && mpi::is_usable()) {
                MPI_Request_free(&request);
            }
        }
    }

    /// Room for one more, until the next one is added.
    [[nodiscard]] MPI_Request* add() { return &requests_.emplace_back(MPI_REQUEST_NULL); }
    void forget() { requests_.clear(); }

    void start(std::size_t i) { mpi::check(MPI_Start(&requests_[i]), "MPI_Start"); }
    void wait(std::size_t i) { mpi::check(MPI_Wait(&requests_[i], MPI_STATUS_IGNORE), "MPI_Wait"); }
    void start_all() {
        if (!requests_.empty()) {  // Open MPI refuses to start nothing
            mpi::check(MPI_Startall(static_cast<int>(requests_.size()), requests_.data()),
                       "MPI_Startall");
        }
    }
    void wait_all() {
        mpi::check(
            MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
    }

private:
    std::vector<MPI_Request> requests_;
};

}  // namespace transrank::lab::study
