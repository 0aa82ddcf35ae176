// SPDX-License-Identifier: BSD-3-Clause
// ranks: 2 3
// One copy by the kernel between private arrays: when it is taken, and what becomes of an exchange
// where the kernel refuses, or the peer has given it up.
#include <cerrno>
#include <cstdlib>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "ring.hpp"

using namespace testing;

namespace {

/// What the kernel says of the next calls: 0, the truth; an error; or, negative, how many bytes too
/// few it reads.
int answer = 0;
bool lies = false;

class Answering {
public:
    explicit Answering(int with) { answer = with; }
    Answering(const Answering&) = delete;
    Answering& operator=(const Answering&) = delete;
    ~Answering() {
        answer = 0;
        lies = false;
    }
};

/// Whose node is looked at anew.
class Duplicate {
public:
    Duplicate() { MPI_Comm_dup(MPI_COMM_WORLD, &comm_); }
    Duplicate(const Duplicate&) = delete;
    Duplicate& operator=(const Duplicate&) = delete;
    ~Duplicate() { MPI_Comm_free(&comm_); }
    operator MPI_Comm() const { return comm_; }  // NOLINT(google-explicit-constructor)

private:
    MPI_Comm comm_ = MPI_COMM_NULL;
};

/// Longer than what packing could be better for.
Ring long_ring() {
    return {world_rank(), world_size(), true, 1 << 17, Home::user};
}

bool is_beside_rank_0() {
    return world_rank() <= 1 || world_rank() == world_size() - 1;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// Moves data by `auto` where rank 0 may not read; returns what each rank is told about it.
std::string moved_without_rank_0(MPI_Comm comm) {
    auto ring = long_ring();
    auto exchange = ring.bind("auto", comm);
    ring.write(world_rank());
    exchange.run();
    CHECK(ring.has_received(ring.previous()));
    const auto text = exchange.explain();
    CHECK(contains(text, "shared-staged") == is_beside_rank_0());
    CHECK_THROWS_AS((void)ring.bind("kernel-copy", comm), transrank::mpi::AgreedError);
    return text;
}

}  // namespace

extern "C" ssize_t process_vm_readv(pid_t process, const iovec* to, unsigned long pieces,
                                    const iovec* from, unsigned long pieces_from,
                                    unsigned long flags) {
    if (answer > 0) {
        errno = answer;
        return -1;
    }
    const auto read = syscall(SYS_process_vm_readv, process, to, pieces, from, pieces_from, flags);
    if (lies) {
        *static_cast<char*>(to->iov_base) ^= 1;
    }
    return read + answer;
}

TEST_CASE("long runs of private arrays are copied by the kernel, short ones are packed") {
    const Duplicate comm;
    CHECK(contains(long_ring().bind("auto", comm).explain(), "kernel-copy"));
    const Ring ring(world_rank(), world_size(), true, 1000, Home::user);
    CHECK(contains(ring.bind("auto", comm).explain(),
                   "not kernel-copy: runs of 8000 bytes are better packed"));
    const Ring shared(world_rank(), world_size(), true, 1 << 17);
    CHECK(contains(shared.bind("auto", comm).explain(), "shared-direct"));
}

TEST_CASE("a rank that the kernel does not let read gets its data packed, and all are told why") {
    const Answering refused(world_rank() == 0 ? EPERM : 0);
    const Duplicate comm;
    const auto text = moved_without_rank_0(comm);
    if (world_rank() == 0) {
        CHECK(contains(text, "cannot be read: Operation not permitted"));
    } else if (is_beside_rank_0()) {
        CHECK(contains(text, "it may not read this rank's private memory"));
    }
}

TEST_CASE("a process of the same number elsewhere is not taken for the peer") {
    const Answering as_kernel(0);
    lies = world_rank() == 0;
    const Duplicate comm;
    const auto text = moved_without_rank_0(comm);
    if (world_rank() == 0) {
        CHECK(contains(text, "another process has the number"));
    }
}

TEST_CASE("arrays that the kernel does not read, as those of a device, are packed") {
    const Duplicate comm;
    (void)long_ring().bind("kernel-copy", comm);
    const Answering refused(world_rank() == 0 ? EFAULT : 0);
    const auto text = moved_without_rank_0(comm);
    if (world_rank() == 0) {
        CHECK(contains(text, "cannot be read: Bad address"));
    } else if (is_beside_rank_0()) {
        CHECK(contains(text, "rank 0 could not set it up"));
    }
}

TEST_CASE("an environment variable turns it off") {
    if (world_rank() == 0) {
        setenv("TRANSRANK_KERNEL_COPY", "0", 1);
    }
    const Duplicate comm;
    const auto text = moved_without_rank_0(comm);
    if (world_rank() == 0) {
        CHECK(contains(text, "TRANSRANK_KERNEL_COPY is 0"));
    }
    unsetenv("TRANSRANK_KERNEL_COPY");
}

TEST_CASE("what cannot be read when it is moved breaks the exchange") {
    for (const int with : {EFAULT, EPERM, -1}) {
        CAPTURE(with);
        auto ring = long_ring();
        auto exchange = ring.bind("kernel-copy");
        exchange.run();
        const Answering failing(world_rank() == 1 ? with : 0);
        CHECK_THROWS_WITH_AS(run_for_ever(exchange),
                             "rank 0 has an array that its peers cannot read: its memory was given "
                             "back, or the process may no longer be read; bind a new exchange",
                             BrokenExchange);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

TEST_CASE(
    "what overwrites the same place comes in the order of the ranks, also if the first is late") {
    using namespace transrank;
    const auto last = world_size() - 1;
    const std::vector<route::Segment> one{{.source = 0, .destination = 0, .length = 1}};
    std::vector<route::Leg> sends;
    std::vector<route::Leg> receives;
    for (int rank = 0; rank < last; ++rank) {
        if (world_rank() == rank) {
            sends.push_back({.peer = last, .segments = one});
        } else if (world_rank() == last) {
            receives.push_back({.peer = rank, .segments = one});
        }
    }
    std::int64_t source = world_rank();
    std::int64_t destination = -1;
    const copy::Field field{.source = reinterpret_cast<std::byte*>(&source),
                            .source_bytes = sizeof(source),
                            .destination = reinterpret_cast<std::byte*>(&destination),
                            .destination_bytes = sizeof(destination),
                            .unit_bytes = sizeof(source)};
    Options options;
    options.transport = "kernel-copy";
    Exchange exchange({world_rank(), world_size(), 1, 1, sends, receives}, MPI_COMM_WORLD, {field},
                      options);
    if (world_rank() == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    exchange.run();
    CHECK((world_rank() != last || destination == last - 1));
}

// The others have started, so that rank 0 has got its data and said so when it gives up.
TEST_CASE("what a peer writes after it has given up is never taken for its data") {
    auto ring = long_ring();
    auto exchange = std::make_unique<Exchange>(ring.bind("kernel-copy"));
    if (world_rank() != 0) {
        exchange->start();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() == 0) {
        exchange->start();
        exchange.reset();
        ring.write(-1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() == 1) {
        CHECK_THROWS_AS(exchange->wait(), BrokenExchange);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}
