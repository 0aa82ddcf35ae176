// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/memory/node.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <poll.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "transrank/mpi/error.hpp"

namespace transrank::memory {
namespace {

const std::string elsewhere = "on another node";

/// What a rank tells its node-mates of itself.
struct Introduction {
    SegmentHandle doorbell;
    int rank = -1;  ///< in the communicator asked about
    int cores = 0;  ///< that it may run on
};

// Never destroyed: a peer may ring after our main() has ended.
SharedSegment& doorbell_segment() {
    static auto* const segment = [] {
        auto* made = new SharedSegment(sizeof(Doorbell));
        new (made->bytes().data()) Doorbell;
        return made;
    }();
    return *segment;
}

Doorbell& doorbell_in(std::span<std::byte> memory) {
    return *std::launder(reinterpret_cast<Doorbell*>(memory.data()));
}

int usable_cores() {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

int watch_process(std::int64_t process) {
#ifdef SYS_pidfd_open
    return static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(process), 0));
#else
    return -1;
#endif
}

std::vector<Introduction> introduce(const mpi::Communicator& node, int rank) {
    Introduction own{
        .doorbell = doorbell_segment().handle(), .rank = rank, .cores = usable_cores()};
    std::vector<Introduction> all(static_cast<std::size_t>(node.size()));
    mpi::check(MPI_Allgather(&own, sizeof(own), MPI_BYTE, all.data(), sizeof(own), MPI_BYTE,
                             node.handle()),
               "MPI_Allgather");
    return all;
}

// What the node-mates found about me, in exchange for what I found about them.
std::vector<char> swap_findings(const mpi::Communicator& node, const std::vector<char>& own) {
    std::vector<char> theirs(own.size());
    mpi::check(MPI_Alltoall(own.data(), 1, MPI_CHAR, theirs.data(), 1, MPI_CHAR, node.handle()),
               "MPI_Alltoall");
    return theirs;
}

// Each bound rank has its own core; ranks that may run anywhere share the same ones.
bool too_few_cores(const std::vector<Introduction>& all) {
    const auto narrowest = std::ranges::min(all, {}, &Introduction::cores).cores;
    return narrowest > 1 && narrowest < static_cast<int>(all.size());
}

}  // namespace

Doorbell& own_doorbell() {
    return doorbell_in(doorbell_segment().bytes());
}

Node::Node(const mpi::Communicator& comm) {
    const auto node = comm.split_node();
    const auto all = introduce(node, comm.rank());
    std::vector<char> reached(all.size(), 0);
    for (std::size_t i = 0; i < all.size(); ++i) {
        Mate mate{.rank = all[i].rank, .mapping = nullptr, .process_descriptor = -1};
        try {
            if (mate.rank != comm.rank()) {
                mate.mapping = MappedSegment::get(all[i].doorbell);
                mate.process_descriptor = watch_process(all[i].doorbell.process);
            }
            reached[i] = 1;
            mates_.push_back(std::move(mate));
        } catch (const std::exception& error) {
            obstacles_.emplace_back(all[i].rank, error.what());
        }
    }
    const auto reached_me = swap_findings(node, reached);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (reached[i] != 0 && reached_me[i] == 0) {
            std::erase_if(mates_, [&](const Mate& mate) { return mate.rank == all[i].rank; });
            obstacles_.emplace_back(all[i].rank, "it cannot map this rank's memory");
        }
    }
    oversubscribed_ = too_few_cores(all);
}

Node::~Node() {
    for (const auto& mate : mates_) {
        if (mate.process_descriptor >= 0) {
            close(mate.process_descriptor);
        }
    }
}

const Node::Mate* Node::find(int rank) const {
    const auto found = std::ranges::lower_bound(mates_, rank, {}, &Mate::rank);
    return found != mates_.end() && found->rank == rank ? &*found : nullptr;
}

bool Node::shares_with(int rank) const {
    return find(rank) != nullptr;
}

const std::string& Node::obstacle(int rank) const {
    const auto found = std::ranges::find(obstacles_, rank, &std::pair<int, std::string>::first);
    return found == obstacles_.end() ? elsewhere : found->second;
}

Doorbell& Node::doorbell(int rank) const {
    const auto* mate = find(rank);
    return mate->mapping ? doorbell_in(mate->mapping->bytes()) : own_doorbell();
}

bool Node::is_alive(int rank) const {
    const auto* mate = find(rank);
    if (mate == nullptr || mate->process_descriptor < 0) {
        return true;
    }
    pollfd ended{.fd = mate->process_descriptor, .events = POLLIN, .revents = 0};
    return poll(&ended, 1, 0) == 0;
}

}  // namespace transrank::memory
