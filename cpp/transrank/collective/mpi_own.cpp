// SPDX-License-Identifier: BSD-3-Clause
// MPI_Alltoall and MPI_Alltoallv, for comparison and where nothing better is known.
#include <chrono>
#include <utility>

#include "transrank/collective/movement.hpp"
#include "transrank/exchange/exchange.hpp"
#include "transrank/mpi/counts.hpp"
#include "transrank/mpi/error.hpp"
#include "transrank/mpi/request.hpp"

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

class MpiOwn final : public Movement {
public:
    explicit MpiOwn(const Task& task)
        : loan_(task.known.borrow()),
          send_(task.in_place() ? MPI_IN_PLACE : task.send),
          receive_(task.receive),
          count_(static_cast<mpi::Count>(task.block_bytes)),
          send_counts_(as<mpi::Count>(task.blocks.send_bytes)),
          send_displacements_(as<mpi::Displacement>(task.blocks.send_offsets)),
          receive_counts_(as<mpi::Count>(task.blocks.receive_bytes)),
          receive_displacements_(as<mpi::Displacement>(task.blocks.receive_offsets)) {}
    MpiOwn(const MpiOwn&) = delete;
    MpiOwn& operator=(const MpiOwn&) = delete;

    // MPI cannot give up a collective under way, nor could its communicator be used again.
    ~MpiOwn() override {
        if (request_ != MPI_REQUEST_NULL) {
            loan_.spoil();
        }
    }

    void start() override {
        if (active_) {
            throw exchange::Misuse("an alltoall was started twice without wait");
        }
        const auto comm = loan_.comm().handle();
        if (count_ >= 0) {
            mpi::check(
                ialltoall(send_, count_, MPI_BYTE, receive_, count_, MPI_BYTE, comm, &request_),
                "MPI_Ialltoall");
        } else {
            mpi::check(ialltoallv(send_, send_counts_.data(), send_displacements_.data(), MPI_BYTE,
                                  receive_, receive_counts_.data(), receive_displacements_.data(),
                                  MPI_BYTE, comm, &request_),
                       "MPI_Ialltoallv");
        }
        active_ = true;
        ended_by_test_ = false;
    }

    bool test() override {
        ended_by_test_ = is_over();
        return ended_by_test_;
    }

    bool wait_for(double seconds) override {
        if (std::exchange(ended_by_test_, false)) {
            return true;
        }
        const auto begin = std::chrono::steady_clock::now();
        for (int idle = 0; !is_over(); ++idle) {
            const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - begin;
            if (waited.count() >= seconds) {
                return false;
            }
            mpi::pause(idle);
        }
        return true;
    }

    void run() override {
        const auto comm = loan_.comm().handle();
        if (count_ >= 0) {
            mpi::check(alltoall(send_, count_, MPI_BYTE, receive_, count_, MPI_BYTE, comm),
                       "MPI_Alltoall");
        } else {
            mpi::check(alltoallv(send_, send_counts_.data(), send_displacements_.data(), MPI_BYTE,
                                 receive_, receive_counts_.data(), receive_displacements_.data(),
                                 MPI_BYTE, comm),
                       "MPI_Alltoallv");
        }
    }

private:
    bool is_over() {
        if (!active_) {
            throw exchange::Misuse("an alltoall was waited for without start");
        }
        int done = 0;
        mpi::check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test");
        active_ = done == 0;
        return done != 0;
    }

    mpi::CommunicatorPool::Loan loan_;
    const void* send_;
    void* receive_;
    mpi::Count count_;  ///< negative: the blocks differ
    std::vector<mpi::Count> send_counts_;
    std::vector<mpi::Displacement> send_displacements_;
    std::vector<mpi::Count> receive_counts_;
    std::vector<mpi::Displacement> receive_displacements_;
    MPI_Request request_ = MPI_REQUEST_NULL;
    bool active_ = false;
    bool ended_by_test_ = false;  ///< and nobody has called wait since
};

}  // namespace

std::unique_ptr<Movement> by_mpi(const Task& task) {
    return std::make_unique<MpiOwn>(task);
}

}  // namespace transrank::collective
