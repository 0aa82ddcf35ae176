// SPDX-License-Identifier: BSD-3-Clause
// MPI_Alltoall and MPI_Alltoallv, for comparison and where nothing better is known.
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "transrank/collective/method.hpp"
#include "transrank/collective/one_transport.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/counts.hpp"
#include "transrank/mpi/error.hpp"
#include "transrank/mpi/lifetime.hpp"
#include "transrank/transport/notices.hpp"

namespace transrank::collective {
namespace {

template <class To>
std::vector<To> as(const std::vector<std::int64_t>& values) {
    return {values.begin(), values.end()};
}

/// The functions that count in 32 bits.
struct Small {
    using Count = int;
    using Displacement = int;
    static constexpr auto alltoall = &MPI_Alltoall;
    static constexpr auto ialltoall = &MPI_Ialltoall;
    static constexpr auto alltoallv = &MPI_Alltoallv;
    static constexpr auto ialltoallv = &MPI_Ialltoallv;
};

#if MPI_VERSION >= 4
/// Those that count in 64 bits.
struct Large {
    using Count = MPI_Count;
    using Displacement = MPI_Aint;
    static constexpr auto alltoall = &MPI_Alltoall_c;
    static constexpr auto ialltoall = &MPI_Ialltoall_c;
    static constexpr auto alltoallv = &MPI_Alltoallv_c;
    static constexpr auto ialltoallv = &MPI_Ialltoallv_c;
};
#endif

std::vector<int> all_ranks(int ranks) {
    std::vector<int> all(static_cast<std::size_t>(ranks));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

/// All that MPI looks at while the collective is under way.
template <class Calls>
struct Arguments {
    using Count = Calls::Count;
    using Displacement = Calls::Displacement;

    std::shared_ptr<const Arrays> arrays;
    Count count;  ///< negative: the blocks differ
    std::vector<Count> send_counts;
    std::vector<Displacement> send_displacements;
    std::vector<Count> receive_counts;
    std::vector<Displacement> receive_displacements;

    explicit Arguments(const Task& task)
        : arrays(task.arrays),
          count(static_cast<Count>(task.block_bytes)),
          send_counts(as<Count>(task.blocks.send_bytes)),
          send_displacements(as<Displacement>(task.blocks.send_offsets)),
          receive_counts(as<Count>(task.blocks.receive_bytes)),
          receive_displacements(as<Displacement>(task.blocks.receive_offsets)) {}

    [[nodiscard]] const void* send() const {
        return arrays->in_place() ? MPI_IN_PLACE : arrays->send();
    }
    [[nodiscard]] void* receive() const { return arrays->receive(); }
};

template <class Calls>
class MpiOwn final : public transport::Transport {
public:
    MpiOwn(const Task& task, mpi::CommunicatorPool::Lease& lease)
        : comm_(lease.comm()),
          notices_(lease, all_ranks(task.problem.ranks), false),
          arguments_(std::make_shared<Arguments<Calls>>(task)) {}
    MpiOwn(const MpiOwn&) = delete;
    MpiOwn& operator=(const MpiOwn&) = delete;

    // MPI can neither cancel a collective under way nor say when it is over.
    ~MpiOwn() override {
        if (!arrived_) {
            mpi::keep_for_ever(arguments_);
        }
    }

    void start(std::uint64_t epoch) override {
        epoch_ = epoch;
        notices_.check_before(epoch);
        const auto& it = *arguments_;
        if (it.count >= 0) {
            mpi::check(Calls::ialltoall(it.send(), it.count, MPI_BYTE, it.receive(), it.count,
                                        MPI_BYTE, comm_.handle(), &request_),
                       "MPI_Ialltoall");
        } else {
            mpi::check(Calls::ialltoallv(it.send(), it.send_counts.data(),
                                         it.send_displacements.data(), MPI_BYTE, it.receive(),
                                         it.receive_counts.data(), it.receive_displacements.data(),
                                         MPI_BYTE, comm_.handle(), &request_),
                       "MPI_Ialltoallv");
        }
        arrived_ = false;
    }

    bool progress() override {
        if (arrived_) {
            return false;
        }
        int done = 0;
        mpi::check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test");
        arrived_ = done != 0;
        if (!arrived_) {
            notices_.check_now_and_then(epoch_);
        }
        return arrived_;
    }

    // The tuned collective of the library, not the one that can be tested.
    void run() const {
        const auto& it = *arguments_;
        if (it.count >= 0) {
            mpi::check(Calls::alltoall(it.send(), it.count, MPI_BYTE, it.receive(), it.count,
                                       MPI_BYTE, comm_.handle()),
                       "MPI_Alltoall");
        } else {
            mpi::check(
                Calls::alltoallv(it.send(), it.send_counts.data(), it.send_displacements.data(),
                                 MPI_BYTE, it.receive(), it.receive_counts.data(),
                                 it.receive_displacements.data(), MPI_BYTE, comm_.handle()),
                "MPI_Alltoallv");
        }
    }

    [[nodiscard]] bool done() const override { return arrived_; }
    // MPI does not say whose data are missing.
    [[nodiscard]] std::vector<int> awaited() const override {
        return arrived_ ? std::vector<int>() : all_ranks(comm_.size());
    }
    [[nodiscard]] transport::Polling polling() const override { return transport::Polling::own; }
    void announce(const transport::Failure& failure, std::uint64_t completed) override {
        notices_.send(failure, completed, {});
    }
    bool leave() override { return notices_.leave({.is_known = arrived_}); }

private:
    const mpi::Communicator& comm_;
    transport::Notices notices_;
    std::shared_ptr<Arguments<Calls>> arguments_;
    std::uint64_t epoch_ = 0;
    MPI_Request request_ = MPI_REQUEST_NULL;
    bool arrived_ = true;
};

template <class Calls>
Backend by(const Task& task) {
    auto backend = std::make_unique<OneTransport>(task);
    mpi::agree(task.own, [&] {  // later the others would wait in MPI for a rank that fails
        auto transport = std::make_unique<MpiOwn<Calls>>(task, *backend->lease());
        const auto& own = *transport;
        backend->carry_by(std::move(transport), "alltoall by " + std::string(mpi_name),
                          [&own] { own.run(); });
    });
    return backend;
}

}  // namespace

Backend by_mpi(const Task& task) {
#if MPI_VERSION >= 4
    if (mpi::counts_in_64_bits()) {
        return by<Large>(task);
    }
#endif
    return by<Small>(task);
}

}  // namespace transrank::collective
