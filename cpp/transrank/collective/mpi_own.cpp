// SPDX-License-Identifier: BSD-3-Clause
// MPI_Alltoall and MPI_Alltoallv, for comparison and where nothing better is known.
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "transrank/collective/method.hpp"
#include "transrank/exchange/one_transport.hpp"
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

#if MPI_VERSION >= 4
constexpr auto alltoall = &MPI_Alltoall_c;
constexpr auto ialltoall = &MPI_Ialltoall_c;
constexpr auto alltoallv = &MPI_Alltoallv_c;
constexpr auto ialltoallv = &MPI_Ialltoallv_c;
#else
constexpr auto alltoall = &MPI_Alltoall;
constexpr auto ialltoall = &MPI_Ialltoall;
constexpr auto alltoallv = &MPI_Alltoallv;
constexpr auto ialltoallv = &MPI_Ialltoallv;
#endif

std::vector<int> all_ranks(int ranks) {
    std::vector<int> all(static_cast<std::size_t>(ranks));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

/// All that MPI looks at while the collective is under way.
struct Arguments {
    const void* send;
    void* receive;
    mpi::Count count;  ///< negative: the blocks differ
    std::vector<mpi::Count> send_counts;
    std::vector<mpi::Displacement> send_displacements;
    std::vector<mpi::Count> receive_counts;
    std::vector<mpi::Displacement> receive_displacements;
    std::shared_ptr<void> arrays;

    explicit Arguments(const Task& task)
        : send(task.in_place() ? MPI_IN_PLACE : task.send),
          receive(task.receive),
          count(static_cast<mpi::Count>(task.block_bytes)),
          send_counts(as<mpi::Count>(task.blocks.send_bytes)),
          send_displacements(as<mpi::Displacement>(task.blocks.send_offsets)),
          receive_counts(as<mpi::Count>(task.blocks.receive_bytes)),
          receive_displacements(as<mpi::Displacement>(task.blocks.receive_offsets)),
          arrays(task.keep_alive) {}
};

class MpiOwn final : public transport::Transport {
public:
    MpiOwn(const Task& task, mpi::CommunicatorPool::Lease& lease)
        : comm_(lease.comm()),
          notices_(lease, all_ranks(task.problem.ranks), false),
          arguments_(std::make_shared<Arguments>(task)) {}
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
            mpi::check(ialltoall(it.send, it.count, MPI_BYTE, it.receive, it.count, MPI_BYTE,
                                 comm_.handle(), &request_),
                       "MPI_Ialltoall");
        } else {
            mpi::check(
                ialltoallv(it.send, it.send_counts.data(), it.send_displacements.data(), MPI_BYTE,
                           it.receive, it.receive_counts.data(), it.receive_displacements.data(),
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
            mpi::check(alltoall(it.send, it.count, MPI_BYTE, it.receive, it.count, MPI_BYTE,
                                comm_.handle()),
                       "MPI_Alltoall");
        } else {
            mpi::check(alltoallv(it.send, it.send_counts.data(), it.send_displacements.data(),
                                 MPI_BYTE, it.receive, it.receive_counts.data(),
                                 it.receive_displacements.data(), MPI_BYTE, comm_.handle()),
                       "MPI_Alltoallv");
        }
    }

    [[nodiscard]] bool done() const override { return arrived_; }
    // MPI does not say whose data are missing.
    [[nodiscard]] std::vector<int> awaited() const override {
        return arrived_ ? std::vector<int>() : all_ranks(comm_.size());
    }
    [[nodiscard]] bool polls_mpi() const override { return true; }
    void announce(const transport::Breakage& breakage, std::uint64_t completed) override {
        notices_.send(breakage, completed);
    }

private:
    const mpi::Communicator& comm_;
    transport::Notices notices_;
    std::shared_ptr<Arguments> arguments_;
    std::uint64_t epoch_ = 0;
    MPI_Request request_ = MPI_REQUEST_NULL;
    bool arrived_ = true;
};

}  // namespace

Carrier by_mpi(const Task& task) {
    auto carrier = std::make_unique<exchange::OneTransport>(task.known);
    auto transport = std::make_unique<MpiOwn>(task, carrier->lease());
    const auto& own = *transport;
    // As if each rank sent something to the next one: whether all have come equally often.
    const int rank = task.own.rank();
    const int ranks = task.own.size();
    carrier->carry_by(std::move(transport),
                      mpi::weight_of_message(rank, (rank + 1) % ranks) -
                          mpi::weight_of_message((rank + ranks - 1) % ranks, rank),
                      "alltoall by " + std::string(mpi_name), [&own] { own.run(); });
    return carrier;
}

}  // namespace transrank::collective
