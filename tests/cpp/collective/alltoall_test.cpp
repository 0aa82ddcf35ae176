// SPDX-License-Identifier: BSD-3-Clause
// ranks: 2 16
// Sixteen ranks serve all smaller numbers, too: those that have no part in a case wait without
// taking the others' cores.
#include "transrank/collective/alltoall.hpp"

#include <sys/mman.h>

#include "testing.hpp"
#include "transrank/collective/method.hpp"
#include "transrank/exchange/exchange.hpp"
#include "transrank/memory/shared_segment.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/communicator.hpp"
#include "transrank/mpi/counts.hpp"

using namespace transrank;
using collective::Alltoall;
using collective::AlltoallOptions;
using collective::Blocks;

namespace {

using Bytes = std::vector<std::byte>;

/// Zeros, of which only the pages that are written take memory.
class Untouched {
public:
    explicit Untouched(std::size_t bytes)
        : bytes_(bytes),
          begin_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
        REQUIRE(begin_ != MAP_FAILED);
    }
    Untouched(const Untouched&) = delete;
    Untouched& operator=(const Untouched&) = delete;
    ~Untouched() { munmap(begin_, bytes_); }
    [[nodiscard]] std::byte* at(std::int64_t offset) const {
        return static_cast<std::byte*>(begin_) + offset;
    }

private:
    std::size_t bytes_;
    void* begin_;
};

// Runs `work` on the first `ranks` ranks while the others sleep.
template <class Work>
void among(int ranks, const Work& work) {
    const mpi::Communicator world(MPI_COMM_WORLD);
    {
        const auto some = world.split(world.rank() < ranks ? 0 : MPI_UNDEFINED);
        if (some.handle() != MPI_COMM_NULL) {
            work(some);
        }
    }
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(world.handle(), &request);
    mpi::complete(std::span(&request, 1), nullptr, {});
}

std::vector<int> rank_counts() {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    std::vector<int> counts{1, 2, 3, 4, 5, 6, 7, 8, 9, 16};
    std::erase_if(counts, [&](int count) { return count > size; });
    return counts;
}

// The same bytes on every rank for the same seed, other ones on every rank otherwise.
Bytes noise(std::size_t bytes, unsigned seed) {
    std::mt19937 generator(seed);
    Bytes made(bytes);
    std::ranges::generate(made, [&] { return static_cast<std::byte>(generator()); });
    return made;
}

Bytes by_mpi(const mpi::Communicator& comm, const Bytes& sent, std::int64_t block_bytes) {
    Bytes received(sent.size());
    const auto count = static_cast<int>(block_bytes);
    MPI_Alltoall(sent.data(), count, MPI_BYTE, received.data(), count, MPI_BYTE, comm.handle());
    return received;
}

unsigned seed_of(const mpi::Communicator& comm, std::int64_t block_bytes, unsigned round) {
    return (static_cast<unsigned>(comm.rank()) * 7919U) + static_cast<unsigned>(block_bytes) +
           (round * 104729U);
}

std::vector<std::string> usable(const schedule::Problem& problem, bool equal_blocks) {
    std::vector<std::string> names{std::string(collective::automatic)};
    for (const auto& method : collective::methods()) {
        if (method
                .reason_against(
                    problem,
                    {.on_one_node = true, .shared_arrays = true, .equal_blocks = equal_blocks})
                .empty()) {
            names.emplace_back(method.name);
        }
    }
    return names;
}

// Twice, with other contents the second time, and the same in place.
void compare(const mpi::Communicator& comm, const AlltoallOptions& options,
             std::int64_t block_bytes, bool shared) {
    CAPTURE(options.algorithm);
    CAPTURE(block_bytes);
    CAPTURE(comm.size());
    const auto bytes = static_cast<std::size_t>(block_bytes * comm.size());
    memory::SharedSegment segment(bytes + 1);
    Bytes own(bytes);
    auto* const send = shared ? segment.bytes().data() : own.data();
    Bytes received(bytes);
    Alltoall bound(comm.handle(), send, received.data(), block_bytes, options);
    for (unsigned round = 0; round < 2; ++round) {
        const auto sent = noise(bytes, seed_of(comm, block_bytes, round));
        std::ranges::copy(sent, send);
        bound.run();
        CHECK(received == by_mpi(comm, sent, block_bytes));
    }
    Bytes both(bytes);
    Alltoall in_place(comm.handle(), both.data(), both.data(), block_bytes, options);
    for (unsigned round = 2; round < 4; ++round) {
        const auto sent = noise(bytes, seed_of(comm, block_bytes, round));
        std::ranges::copy(sent, both.data());
        in_place.run();
        CHECK(both == by_mpi(comm, sent, block_bytes));
    }
}

// Each start has other arrays; which, ranks choose for themselves.
void compare_given(const mpi::Communicator& comm, AlltoallOptions options,
                   std::int64_t block_bytes) {
    CAPTURE(options.algorithm);
    CAPTURE(block_bytes);
    CAPTURE(comm.size());
    options.any_memory = true;
    const auto bytes = static_cast<std::size_t>(block_bytes * comm.size());
    std::vector<Bytes> sends(3, Bytes(bytes));
    std::vector<Bytes> receives(2 + comm.rank() % 2, Bytes(bytes));
    Alltoall apart(comm.handle(), sends[0].data(), receives[0].data(), block_bytes, options);
    Alltoall in_place(comm.handle(), sends[0].data(), sends[0].data(), block_bytes, options);
    for (unsigned round = 0; round < 5; ++round) {
        auto& send = sends[round % sends.size()];
        auto& receive = receives[round % receives.size()];
        const auto sent = noise(bytes, seed_of(comm, block_bytes, round));
        const auto wanted = by_mpi(comm, sent, block_bytes);
        send = sent;
        if (round % 2 == 0) {
            apart.run_with(send.data(), receive.data());
        } else {
            apart.start_with(send.data(), receive.data());
            apart.wait();
        }
        CHECK(receive == wanted);
        CHECK(send == sent);
        in_place.run_with(send.data(), send.data());
        CHECK(send == wanted);
    }
}

// Rank a sends rank b so many bytes.
std::int64_t length(int a, int b) {
    return ((a * 5) + (b * 3)) % 7 * 11;
}

Blocks ragged(int rank, int ranks) {
    Blocks blocks;
    std::int64_t out = 3;
    std::int64_t in = 1;
    for (int peer = 0; peer < ranks; ++peer) {
        blocks.send_offsets.push_back(out);
        blocks.send_bytes.push_back(length(rank, peer));
        blocks.receive_offsets.push_back(in);
        blocks.receive_bytes.push_back(length(peer, rank));
        out += blocks.send_bytes.back() + 2;
        in += blocks.receive_bytes.back() + 5;
    }
    return blocks;
}

std::vector<int> as_ints(const std::vector<std::int64_t>& values) {
    return {values.begin(), values.end()};
}

}  // namespace

TEST_CASE("every algorithm does what MPI_Alltoall does, at any number of ranks") {
    std::mt19937 generator(42);  // the same on every rank
    for (const int ranks : rank_counts()) {
        const auto bytes = std::uniform_int_distribution<std::int64_t>(1, 900)(generator);
        const AlltoallOptions choices{
            .radix = 2 + (ranks % 3), .window = 1 + (ranks % 4), .ranks_per_node = 3};
        among(ranks, [&](const mpi::Communicator& comm) {
            for (const auto& name : usable({.ranks = ranks, .ranks_per_node = 3}, true)) {
                auto options = choices;
                options.algorithm = name;
                compare(comm, options, bytes, ranks % 2 == 0);
                compare_given(comm, options, bytes);
            }
        });
    }
}

TEST_CASE("blocks may be empty or long") {
    among(2, [](const mpi::Communicator& comm) {
        for (const auto& name : usable({.ranks = 2}, true)) {
            compare(comm, {.algorithm = name}, 0, true);
            compare(comm, {.algorithm = name}, 300'001, name != "auto");
            compare_given(comm, {.algorithm = name}, 0);
        }
    });
}

TEST_CASE("direct algorithms take blocks of any lengths, as MPI_Alltoallv does") {
    among(5, [](const mpi::Communicator& comm) {
        const auto blocks = ragged(comm.rank(), comm.size());
        const auto sent = noise(1000, seed_of(comm, 0, 0));
        Bytes expected(1000);
        MPI_Alltoallv(sent.data(), as_ints(blocks.send_bytes).data(),
                      as_ints(blocks.send_offsets).data(), MPI_BYTE, expected.data(),
                      as_ints(blocks.receive_bytes).data(), as_ints(blocks.receive_offsets).data(),
                      MPI_BYTE, comm.handle());
        const schedule::Problem problem{.ranks = comm.size(), .ranks_per_node = 2};
        const auto names = usable(problem, false);
        CHECK(std::ranges::count(names, "bruck") == 0);
        CHECK(std::ranges::count(names, "pairwise") == 1);
        for (const auto& name : names) {
            if (name == "two-process") {
                continue;
            }
            CAPTURE(name);
            Bytes received(1000);
            Alltoall bound(comm.handle(), sent.data(), received.data(), blocks,
                           {.algorithm = name});
            bound.run();
            CHECK(received == expected);
            Alltoall given(comm.handle(), sent.data(), received.data(), blocks,
                           {.algorithm = name, .any_memory = true});
            for (int round = 0; round < 2; ++round) {
                auto moved = sent;
                Bytes elsewhere(1000);
                given.run_with(moved.data(), elsewhere.data());
                CHECK(elsewhere == expected);
            }
        }
    });
}

TEST_CASE("a start that is given arrays that cannot be moved starts and breaks nothing") {
    among(2, [](const mpi::Communicator& comm) {
        for (const auto& name : usable({.ranks = comm.size()}, true)) {
            CAPTURE(name);
            const auto bytes = static_cast<std::size_t>(64 * comm.size());
            Bytes send = noise(bytes, seed_of(comm, 64, 0));
            Bytes receive(bytes);
            const auto refused = [&](const char* says, auto& alltoall, const auto&... arrays) {
                CHECK_THROWS_WITH_AS(alltoall.start_with(arrays...), doctest::Contains(says),
                                     std::invalid_argument);
            };
            Alltoall any(comm.handle(), send.data(), receive.data(), 64,
                         {.algorithm = name, .any_memory = true});
            Alltoall bound(comm.handle(), send.data(), receive.data(), 64, {.algorithm = name});
            CHECK_THROWS_WITH_AS(any.start(), doctest::Contains("no arrays are given to start"),
                                 std::invalid_argument);
            CHECK_THROWS_WITH_AS(any.run(), doctest::Contains("no arrays are given to start"),
                                 std::invalid_argument);
            refused("receives", any, send.data(), nullptr);
            refused("one array, and two were bound", any, send.data(), send.data());
            refused("overlaps it", any, send.data(), send.data() + 8);
            copy::Field shorter{.source = send.data(),
                                .source_bytes = 64 * comm.size(),
                                .destination = receive.data(),
                                .destination_bytes = (64 * comm.size()) - 1};
            refused("but its array has", any, std::array{shorter});
            refused("give one field of arrays that are contiguous", any,
                    std::array{shorter, shorter});
            refused("not those that were bound", bound, send.data(), Bytes(bytes).data());
            any.run_with(send.data(), receive.data());
            CHECK(receive == by_mpi(comm, send, 64));
            std::ranges::fill(receive, std::byte{});
            bound.run_with(send.data(), receive.data());
            CHECK(receive == by_mpi(comm, send, 64));
        }
    });
}

TEST_CASE("a rank that neither sends nor receives needs no arrays") {
    among(3, [](const mpi::Communicator& comm) {
        const bool idle = comm.rank() == 0;
        const auto ranks = static_cast<std::size_t>(comm.size());
        collective::Blocks blocks{.send_offsets = std::vector<std::int64_t>(ranks, 0),
                                  .send_bytes = std::vector<std::int64_t>(ranks, idle ? 0 : 8),
                                  .receive_offsets = std::vector<std::int64_t>(ranks, 0),
                                  .receive_bytes = std::vector<std::int64_t>(ranks, idle ? 0 : 8)};
        blocks.send_bytes[0] = 0;
        blocks.receive_bytes[0] = 0;
        for (std::size_t peer = 0; peer < ranks; ++peer) {
            blocks.receive_offsets[peer] = static_cast<std::int64_t>(8 * peer);
        }
        const std::vector<double> sent(idle ? 0 : 1, comm.rank());
        for (const auto* const name : {"pairwise", "linear", "mpi", "auto"}) {
            CAPTURE(name);
            std::vector<double> received(idle ? 0 : ranks);
            Alltoall(comm.handle(), idle ? nullptr : sent.data(), idle ? nullptr : received.data(),
                     blocks, {.algorithm = name})
                .run();
            for (std::size_t peer = 1; peer < received.size(); ++peer) {
                CHECK(received[peer] == static_cast<double>(peer));
            }
        }
    });
}

TEST_CASE("auto goes straight to the peers' memory where that is known to pay") {
    const auto taken = [](const collective::Circumstances& here) {
        return collective::choose("auto", {.ranks = 4}, here).name;
    };
    using Here = collective::Circumstances;
    const Here shared{.on_one_node = true, .shared_arrays = true, .equal_blocks = false};
    const Here staged{
        .on_one_node = true, .shared_arrays = false, .equal_blocks = true, .own_cores = true};
    CHECK(taken(shared) == "on-node-direct");
    CHECK(taken(staged) == "on-node-direct");
    for (const auto change : {+[](Here& here) { here.on_one_node = false; },
                              +[](Here& here) { here.mpi_is_faster = true; },
                              +[](Here& here) { here.own_cores = false; }}) {
        auto here = staged;
        change(here);
        CHECK(taken(here) == "mpi");
    }
}

TEST_CASE("where MPI cannot count the bytes auto splits them, and mpi is refused") {
    constexpr std::int64_t beyond = std::int64_t{1} << 31U;
    const schedule::Problem problem{.ranks = 4};
    collective::Circumstances here{.on_one_node = true,
                                   .shared_arrays = false,
                                   .equal_blocks = false,
                                   .own_cores = false,
                                   .uncountable_bytes = beyond};
    CHECK(collective::choose("auto", problem, here).name == "pairwise");
    CHECK_THROWS_WITH_AS((void)collective::choose("mpi", problem, here),
                         doctest::Contains("a block or its offset has 2147483648; take 'auto'"),
                         std::invalid_argument);
    here.shared_arrays = true;
    CHECK(collective::choose("auto", problem, here).name == "on-node-direct");
}

TEST_CASE("blocks of one rank may begin farther from its array's begin than 32 bits count") {
    among(2, [](const mpi::Communicator& comm) {
        const auto ranks = static_cast<std::size_t>(comm.size());
        const std::int64_t begin = comm.rank() == 0 ? (std::int64_t{1} << 31U) + 11 : 11;
        constexpr std::int64_t block_bytes = 50;
        Blocks blocks{.send_offsets = {},
                      .send_bytes = std::vector(ranks, block_bytes),
                      .receive_offsets = {},
                      .receive_bytes = std::vector(ranks, block_bytes)};
        for (int peer = 0; peer < comm.size(); ++peer) {
            blocks.send_offsets.push_back(begin + (peer * block_bytes));
            blocks.receive_offsets.push_back(begin + (peer * block_bytes) + 7);
        }
        const auto sent = noise(ranks * block_bytes, seed_of(comm, block_bytes, 0));
        const auto expected = by_mpi(comm, sent, block_bytes);
        const Untouched send(static_cast<std::size_t>(blocks.send_extent()));
        std::ranges::copy(sent, send.at(begin));
        for (const std::string name : {"auto", "mpi", "linear"}) {
            CAPTURE(name);
            const Untouched receive(static_cast<std::size_t>(blocks.receive_extent()));
            const auto bind = [&] {
                return Alltoall(comm.handle(), send.at(0), receive.at(0), blocks,
                                {.algorithm = name});
            };
            if (name == "mpi" && !mpi::counts_in_64_bits()) {
                CHECK_THROWS_WITH_AS((void)bind(), doctest::Contains("counts at most 2147483647"),
                                     mpi::AgreedError);
                continue;
            }
            bind().run();
            CHECK(std::ranges::equal(expected, std::span(receive.at(begin + 7), expected.size())));
        }
    });
}

TEST_CASE("what is wrong on one rank is told on all, before anything moves") {
    among(2, [](const mpi::Communicator& comm) {
        Bytes send(64);
        Bytes receive(64);
        const auto refused = [&](const char* says, auto* from, auto* to, std::int64_t bytes,
                                 const AlltoallOptions& options) {
            CHECK_THROWS_WITH_AS(Alltoall(comm.handle(), from, to, bytes, options),
                                 doctest::Contains(says), mpi::AgreedError);
        };
        const int rank = comm.rank();
        auto* const to = receive.data();
        refused("unknown alltoall algorithm 'nosuch'; known: auto, linear", send.data(), to, 8,
                {.algorithm = "nosuch"});
        refused("-1 ranks per node", send.data(), to, 8, {.ranks_per_node = -1});
        if (comm.size() > 1) {
            refused("blocks of", send.data(), to, 8 + rank, {});
            refused("the algorithm", send.data(), to, 8,
                    {.algorithm = rank == 0 ? "bruck" : "linear"});
            refused("rank 1 receives", send.data(), rank == 0 ? to : nullptr, 8, {});
            refused("overlaps it", send.data(), rank == 0 ? to : send.data() + 4, 8, {});
            refused("more places than the", send.data(), to, 8, {.torus = {120}});
        }
        refused("-3 bytes", send.data(), to, -3, {});
        auto blocks = Blocks::equal(comm.size(), 8);
        blocks.receive_bytes.back() += rank;
        if (comm.size() > 1) {
            CHECK_THROWS_WITH_AS(Alltoall(comm.handle(), send.data(), to, blocks),
                                 doctest::Contains("which expects 9"), mpi::AgreedError);
        }
    });
}
