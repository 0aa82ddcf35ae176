// SPDX-License-Identifier: BSD-3-Clause
// Exchanges, alltoalls and redistributions in which a rank is killed; the others write what they
// are told into files of FOLDER. Run by test_ended_rank.py: killed_rank_program SCENARIO WAY CALL
// FOLDER RANKS; with 0 RANKS the launcher sees what happens. WAY is a transport, an algorithm of
// alltoall, a mode of a redistribution or what all ranks do in a creation.
#include <csignal>
#include <sys/wait.h>

#include "ring.hpp"
#include "transrank/collective/alltoall.hpp"
#include "transrank/exchange/known_communicator.hpp"
#include "transrank/mpi/collectives.hpp"
#include "transrank/mpi/delivery.hpp"
#include "transrank/mpi/point_to_point.hpp"
#include "transrank/redistribution/redistribution.hpp"

using namespace testing;

namespace {

std::filesystem::path folder;

void sleep_for(double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

int files_in_folder() {
    const std::filesystem::directory_iterator all(folder);
    return static_cast<int>(std::count_if(
        begin(all), end(all), [](const auto& file) { return file.path().extension() != ".part"; }));
}

// MPI_Finalize would wait for the dead.
[[noreturn]] void end(const std::string& words) {
    const auto file = folder / std::to_string(world_rank());
    const auto part = std::filesystem::path(file).concat(".part");
    std::ofstream(part) << words << std::flush;
    std::filesystem::rename(part, file);  // it is there when it is whole
    _exit(0);
}

// The launcher's child stays until all but one have written, and the rank is a child of it, with
// the same connection to the launcher, which sees no rank die.
void hide_from_launcher(int ranks) {
    const auto child = fork();
    if (child == 0) {
        return;
    }
    waitpid(child, nullptr, 0);
    for (int i = 0; i < 200 && files_in_folder() < ranks - 1; ++i) {
        sleep_for(0.1);
    }
    _exit(0);
}

template <class Started>
void finish(Started& started, const std::string& call) {
    if (call == "wait") {
        started.wait();
        return;
    }
    while (!started.test()) {
    }
}

// What is bound stays when a scenario ends: who lets go of it tells its peers.

/// Rank 1 is killed between two epochs.
std::string run_without_rank_1(const std::string& transport, const std::string& call) {
    static Ring ring(world_rank(), world_size(), true);
    static auto exchange = ring.bind(transport);
    for (int epoch = 0; epoch < 6; ++epoch) {
        if (epoch == 3 && world_rank() == 1) {
            (void)raise(SIGKILL);
        }
        exchange.start();
        finish(exchange, call);
    }
    return "nothing happened";
}

/// The last rank is killed, and rank 1 lives but never starts: it has not ended when rank 0, a peer
/// of both, must know.
std::string run_beside_a_stuck_rank(const std::string& transport, const std::string& call) {
    static const Ring ring(world_rank(), world_size(), true);
    static auto exchange = ring.bind(transport);
    exchange.run();
    if (is_last()) {
        (void)raise(SIGKILL);
    }
    if (world_rank() == 1) {
        sleep_for(3);
        return "was stuck";
    }
    exchange.start();
    finish(exchange, call);
    return "nothing happened";
}

/// The last rank ends when it has done its part; rank 0 must get it, although it may apply it only
/// after what rank 1 sends much later.
std::string run_with_an_early_end(const std::string& transport, const std::string& call) {
    using namespace transrank;
    const std::vector<route::Segment> one{{.source = 0, .destination = 0, .length = 1}};
    std::vector<route::Leg> sends;
    std::vector<route::Leg> receives;
    if (world_rank() == 1 || is_last()) {
        sends.push_back({.peer = 0, .segments = one});
    } else if (world_rank() == 0) {
        receives = {{.peer = 1, .segments = one}, {.peer = world_size() - 1, .segments = one}};
    }
    static std::int64_t source = world_rank();
    static std::int64_t sum = 100;
    const copy::Field field{.source = reinterpret_cast<std::byte*>(&source),
                            .source_bytes = sizeof(source),
                            .destination = reinterpret_cast<std::byte*>(&sum),
                            .destination_bytes = sizeof(sum),
                            .unit_bytes = sizeof(sum),
                            .scalar = copy::Scalar::int64};
    Options options;
    options.operation = copy::Operation::add;
    options.transport = transport;
    static Exchange exchange({world_rank(), world_size(), 1, 1, sends, receives}, MPI_COMM_WORLD,
                             {field}, options);
    if (world_rank() == 1) {
        sleep_for(1);
    }
    exchange.start();
    finish(exchange, call);
    if (is_last()) {
        (void)raise(SIGKILL);
    }
    return "sum " + std::to_string(sum);
}

/// Rank 1 is killed when it has just begun an epoch of blocks that are too long for MPI to send
/// them before the receiver has come.
template <class Kind>
std::string run_until_told(Kind& bound, const std::string& call) {
    for (int epoch = 0; epoch < 4; ++epoch) {
        bound.start();
        if (epoch == 1 && world_rank() == 1) {
            (void)raise(SIGKILL);
        }
        finish(bound, call);
    }
    return "nothing happened";
}

constexpr std::int64_t block_bytes = 500'000;

std::string run_alltoall(const std::string& algorithm, const std::string& call) {
    static std::vector<std::byte> source(static_cast<std::size_t>(block_bytes * world_size()));
    static auto destination = source;
    static transrank::collective::Alltoall alltoall(
        MPI_COMM_WORLD, source.data(), destination.data(), block_bytes, {.algorithm = algorithm});
    return run_until_told(alltoall, call);
}

std::string run_redistribution(const std::string& transport, const std::string& call) {
    using transrank::layout::BlockGrid;
    using transrank::layout::Distribution;
    const int ranks = world_size();
    const auto length = block_bytes * ranks;
    static std::vector<std::byte> source(static_cast<std::size_t>(length));
    static auto destination = source;
    static transrank::redistribution::Redistribution moved(
        MPI_COMM_WORLD,
        BlockGrid({Distribution::even(ranks, ranks), Distribution::even(length, 1)}),
        BlockGrid({Distribution::even(ranks, 1), Distribution::even(length, ranks)}));
    Options options;
    options.transport = transport;
    moved.store({{.source = source.data(),
                  .source_bytes = length,
                  .destination = destination.data(),
                  .destination_bytes = length,
                  .unit_bytes = 1}},
                options);
    return run_until_told(moved, call);
}

/// Rank 1 is killed within a collective call, after its first meeting.
std::string run_creation(const std::string& way, const std::string& /*call*/) {
    using namespace transrank;
    static const auto known = exchange::KnownCommunicator::get(MPI_COMM_WORLD);
    const auto work = [&](const mpi::Communicator& comm) {
        if (comm.rank() == 1) {
            (void)raise(SIGKILL);
        }
        std::vector<int> others(static_cast<std::size_t>(comm.size()));
        std::iota(others.begin(), others.end(), 0);
        std::vector<std::byte> received(others.size());
        if (way == "agree") {
            mpi::agree(comm, [] {});
        } else if (way == "deliver") {
            (void)mpi::deliver(comm, {{.peer = 1, .bytes = {}}}, 1);
        } else if (way == "swap") {
            (void)mpi::swapped_with(comm, others, 1, std::vector<std::byte>(others.size()));
        } else if (way == "gather") {
            (void)mpi::gathered(comm, 1);
        } else if (way == "broadcast") {
            mpi::broadcast(comm, received, 1);
        } else if (way == "receive") {
            (void)mpi::receive(comm, 1, 1);
        }
    };
    known->together("first use", [](const mpi::Communicator& comm) { mpi::agree(comm, [] {}); });
    std::string words = "nothing happened";
    try {
        known->together("call", work);
    } catch (const BrokenExchange& error) {
        words = error.what();
    }
    try {  // at once
        (void)known->meet();
        words = "a later call has met the others";
    } catch (const BrokenExchange& error) {
        words = words == error.what() ? words : "first: " + words + "; then: " + error.what();
    }
    return words;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 6) {
        return 2;
    }
    const std::map<std::string, std::string (*)(const std::string&, const std::string&)> scenarios{
        {"killed", run_without_rank_1},         {"stuck", run_beside_a_stuck_rank},
        {"early", run_with_an_early_end},       {"alltoall", run_alltoall},
        {"redistribution", run_redistribution}, {"creation", run_creation}};
    const auto scenario = scenarios.at(argv[1]);
    folder = argv[4];
    if (const int ranks = std::stoi(argv[5]); ranks > 0) {
        hide_from_launcher(ranks);
    }
    MPI_Init(&argc, &argv);
    // Else MPICH ends the program when it fails at one of several messages, whatever their
    // communicator says.
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    try {
        end(scenario(argv[2], argv[3]));
    } catch (const BrokenExchange& error) {
        end(error.what());
    } catch (const std::exception& error) {
        end(std::string("another error: ") + error.what());
    }
}
