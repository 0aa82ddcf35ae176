// SPDX-License-Identifier: BSD-3-Clause
// How operations of an epoch are completed: one class each, whose objects live as long as their
// window; what is open throughout is opened and closed with it.
#pragma once

#include <mpi.h>

#include <string_view>

#include "lab/study/baseline/rma_window.hpp"
#include "transrank/mpi/communicator.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study::one_sided {

/// What a rank does in each epoch.
struct Role {
    bool accesses;  ///< the memory of the other rank
    bool exposes;   ///< its own to the other one
};

struct AtTarget {
    static constexpr std::string_view name = "flush";
    static int flush(int target, MPI_Win window) { return MPI_Win_flush(target, window); }
};

/// The origin's buffers may be used again; what the target sees is not known.
struct AtOrigin {
    static constexpr std::string_view name = "flush-local";
    static int flush(int target, MPI_Win window) { return MPI_Win_flush_local(target, window); }
};

template <class Completed>
class Flush {
public:
    static constexpr std::string_view name = Completed::name;
    Flush(const Window& window, const mpi::Communicator& comm)
        : window_(window), other_(1 - comm.rank()) {
        mpi::check(MPI_Win_lock_all(MPI_MODE_NOCHECK, window.handle()), "MPI_Win_lock_all");
    }
    Flush(const Flush&) = delete;
    Flush& operator=(const Flush&) = delete;
    ~Flush() {
        if (window_.ends_together()) {
            MPI_Win_unlock_all(window_.handle());
        }
    }
    void begin(Role /*role*/) const {}
    void end(Role role) const {
        if (role.accesses) {
            mpi::check(Completed::flush(other_, window_.handle()), "MPI_Win_flush");
        }
    }
    void settle() const {
        mpi::check(MPI_Win_flush_all(window_.handle()), "MPI_Win_flush_all");
        mpi::check(MPI_Win_sync(window_.handle()), "MPI_Win_sync");
    }

private:
    const Window& window_;
    int other_;
};

class Fence {
public:
    static constexpr std::string_view name = "fence";
    Fence(const Window& window, const mpi::Communicator& /*comm*/) : window_(window) { fence(0); }
    Fence(const Fence&) = delete;
    Fence& operator=(const Fence&) = delete;
    ~Fence() {
        if (window_.ends_together()) {
            MPI_Win_fence(MPI_MODE_NOSUCCEED, window_.handle());
        }
    }
    void begin(Role /*role*/) const {}
    void end(Role /*role*/) const { fence(0); }
    void settle() const {}

private:
    void fence(int assertions) const {
        mpi::check(MPI_Win_fence(assertions, window_.handle()), "MPI_Win_fence");
    }
    const Window& window_;
};

class Post {
public:
    static constexpr std::string_view name = "post";
    Post(const Window& window, const mpi::Communicator& comm)
        : window_(window), other_({1 - comm.rank()}, comm) {}
    void begin(Role role) const {
        if (role.exposes) {
            mpi::check(MPI_Win_post(other_.handle(), 0, window_.handle()), "MPI_Win_post");
        }
        if (role.accesses) {
            mpi::check(MPI_Win_start(other_.handle(), 0, window_.handle()), "MPI_Win_start");
        }
    }
    void end(Role role) const {
        if (role.accesses) {
            mpi::check(MPI_Win_complete(window_.handle()), "MPI_Win_complete");
        }
        if (role.exposes) {
            mpi::check(MPI_Win_wait(window_.handle()), "MPI_Win_wait");
        }
    }
    void settle() const {}

private:
    const Window& window_;
    RankGroup other_;
};

class Lock {
public:
    static constexpr std::string_view name = "lock";
    Lock(const Window& window, const mpi::Communicator& comm)
        : window_(window), other_(1 - comm.rank()) {}
    void begin(Role role) const {
        if (role.accesses) {
            mpi::check(MPI_Win_lock(MPI_LOCK_SHARED, other_, 0, window_.handle()), "MPI_Win_lock");
        }
    }
    void end(Role role) const {
        if (role.accesses) {
            mpi::check(MPI_Win_unlock(other_, window_.handle()), "MPI_Win_unlock");
        }
    }
    void settle() const {}

private:
    const Window& window_;
    int other_;
};

class LockAll {
public:
    static constexpr std::string_view name = "lock-all";
    LockAll(const Window& window, const mpi::Communicator& /*comm*/) : window_(window) {}
    void begin(Role role) const {
        if (role.accesses) {
            mpi::check(MPI_Win_lock_all(0, window_.handle()), "MPI_Win_lock_all");
        }
    }
    void end(Role role) const {
        if (role.accesses) {
            mpi::check(MPI_Win_unlock_all(window_.handle()), "MPI_Win_unlock_all");
        }
    }
    void settle() const {}

private:
    const Window& window_;
};

}  // namespace transrank::lab::study::one_sided
