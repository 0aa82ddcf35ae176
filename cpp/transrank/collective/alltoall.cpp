// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/collective/alltoall.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "transrank/collective/choices.hpp"
#include "transrank/collective/measured.hpp"
#include "transrank/collective/method.hpp"
#include "transrank/collective/task.hpp"
#include "transrank/exchange/known_communicator.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/memory/shared_segment.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/collectives.hpp"
#include "transrank/mpi/counts.hpp"
#include "transrank/mpi/error.hpp"
#include "transrank/mpi/lifetime.hpp"
#include "transrank/schedule/problem.hpp"

namespace transrank::collective {
namespace {

using layout::require;

constexpr std::int64_t different = -1;  // for a block length
constexpr auto most_bytes = std::numeric_limits<std::int64_t>::max();

std::vector<std::string> words_of(const AlltoallOptions& options,
                                  std::optional<std::int64_t> block_bytes, bool in_place) {
    std::string torus = "torus";
    for (const int length : options.torus) {
        torus += ' ' + std::to_string(length);
    }
    return {"the algorithm " + options.algorithm,
            "the choices '" + options.choices + "'",
            block_bytes ? "blocks of " + std::to_string(*block_bytes) + " bytes"
                        : "blocks of different lengths",
            in_place && block_bytes ? "one array" : "two arrays",
            "radix " + std::to_string(options.radix),
            "window " + std::to_string(options.window),
            "leaders " + std::to_string(options.leaders),
            "ranks per node " + std::to_string(options.ranks_per_node),
            options.any_memory ? "any memory" : "bound arrays",
            torus};
}

void check_side(int rank, const char* what, const std::vector<std::int64_t>& offsets,
                const std::vector<std::int64_t>& bytes, int ranks) {
    require(offsets.size() == static_cast<std::size_t>(ranks) && bytes.size() == offsets.size(),
            "rank ", rank, " ", what, " ", bytes.size(), " blocks at ", offsets.size(),
            " offsets; there must be one for each of ", ranks, " ranks");
    for (std::size_t peer = 0; peer < bytes.size(); ++peer) {
        require(bytes[peer] >= 0 && offsets[peer] >= 0 && offsets[peer] <= most_bytes - bytes[peer],
                "rank ", rank, " ", what, " a block of ", bytes[peer], " bytes at offset ",
                offsets[peer], "; neither may be negative nor their sum exceed 64 bits");
    }
}

void check_blocks(int rank, const Blocks& blocks, int ranks) {
    check_side(rank, "sends", blocks.send_offsets, blocks.send_bytes, ranks);
    check_side(rank, "receives", blocks.receive_offsets, blocks.receive_bytes, ranks);
}

// A block of whatever length is what its receiver expects.
void check_lengths(const mpi::Communicator& comm, const Blocks& blocks) {
    const auto coming = mpi::swapped(comm, blocks.send_bytes);
    mpi::agree(comm, [&] {
        for (std::size_t peer = 0; peer < coming.size(); ++peer) {
            require(coming[peer] == blocks.receive_bytes[peer], "rank ", peer, " sends ",
                    coming[peer], " bytes to rank ", comm.rank(), ", which expects ",
                    blocks.receive_bytes[peer]);
        }
    });
}

// Which of these hold on all ranks.
template <std::size_t Count>
std::array<bool, Count> all_of(const mpi::Communicator& comm, const std::array<bool, Count>& here) {
    std::array<int, Count> all{};
    std::ranges::copy(here, all.begin());
    mpi::reduce(comm, std::span(all), MPI_MIN);
    std::array<bool, Count> held{};
    std::ranges::transform(all, held.begin(), [](int each) { return each != 0; });
    return held;
}

// How many consecutive ranks share a node, all but the last of one size; 1 where they are placed
// otherwise.
int found_ranks_per_node(const mpi::Communicator& comm, const memory::Node& node) {
    const auto mates = node.mates();
    const int most = mpi::reduced(comm, static_cast<int>(mates.size()), MPI_MAX);
    const int begin = comm.rank() / most * most;
    const int end = std::min(begin + most, comm.size());
    const bool regular = mates.front() == begin && mates.back() == end - 1 &&
                         static_cast<int>(mates.size()) == end - begin;
    return all_of(comm, std::array{regular})[0] ? most : 1;
}

// The most bytes that a call of MPI for all blocks would have to count on any rank, unless it can,
// or another method is asked for.
std::int64_t uncountable_bytes(const mpi::Communicator& comm, const Task& task,
                               std::string_view algorithm) {
    if (mpi::counts_in_64_bits() || (algorithm != automatic && algorithm != mpi_name)) {
        return 0;
    }
    std::int64_t most = std::max<std::int64_t>(task.block_bytes, 0);
    if (task.block_bytes == different) {
        const auto& [send_offsets, send_bytes, receive_offsets, receive_bytes] = task.blocks;
        for (const auto* each : {&send_offsets, &send_bytes, &receive_offsets, &receive_bytes}) {
            most = std::max(most, std::ranges::max(*each));
        }
    }
    most = mpi::reduced(comm, most, MPI_MAX);
    return most > mpi::largest_count() ? most : 0;
}

schedule::Problem problem_of(const AlltoallOptions& options, int ranks) {
    return {.ranks = ranks,
            .ranks_per_node = options.ranks_per_node == 0 ? 1 : options.ranks_per_node,
            .torus = options.torus,
            .radix = options.radix,
            .window = options.window,
            .leaders = options.leaders};
}

Circumstances circumstances_of(const mpi::Communicator& comm, const Task& task,
                               std::string_view algorithm) {
    const auto& node = task.known->node();
    const auto& arrays = *task.arrays;
    const auto bytes = static_cast<std::size_t>(task.blocks.send_extent());
    const bool shared =
        !arrays.any_memory() && (arrays.in_place() || bytes == 0 ||
                                 memory::SharedBlock::find(arrays.send(), bytes).has_value());
    const auto all = all_of(comm, std::array{static_cast<int>(node.mates().size()) == comm.size(),
                                             shared, !node.oversubscribed()});
    return {.on_one_node = all[0],
            .shared_arrays = all[1],
            .equal_blocks = task.block_bytes != different,
            .own_cores = all[2],
            .uncountable_bytes = uncountable_bytes(comm, task, algorithm)};
}

// What `auto` is in the file of choices, if it says anything.
std::string name_of(const mpi::Communicator& comm, const AlltoallOptions& options,
                    const schedule::Problem& problem, const Circumstances& circumstances,
                    std::int64_t block_bytes) {
    if (options.algorithm == automatic && circumstances.equal_blocks) {
        if (const auto choices = find_choices(comm, options.choices)) {
            const auto chosen =
                choices->algorithm(problem, circumstances.shared_arrays, block_bytes);
            if (!chosen.empty() && (chosen != mpi_name || circumstances.uncountable_bytes == 0)) {
                return std::string(chosen);
            }
        }
    }
    return options.algorithm;
}

bool measuring_decides(const Circumstances& here, int ranks) {
    return ranks > 1 && here.on_one_node && here.own_cores && !here.shared_arrays &&
           here.uncountable_bytes == 0;
}

bool can_be_blocks(int ranks, std::int64_t block_bytes) {
    return block_bytes >= 0 && block_bytes <= most_bytes / ranks;
}

copy::Field field_of(copy::Field extents, const void* send, void* receive,
                     const std::shared_ptr<void>& keep_alive) {
    extents.source = static_cast<const std::byte*>(send);
    extents.destination = static_cast<std::byte*>(receive);
    extents.keep_alive = keep_alive;
    return extents;
}

}  // namespace

/// Collective. Makes the backend of one rank's arguments.
struct Alltoall::Making {
    const void* send;
    void* receive;
    const Blocks* blocks;               ///< none where all are of one length
    std::optional<std::int64_t> equal;  ///< which is this
    const AlltoallOptions& options;
    const std::shared_ptr<void>& keep_alive;
    mutable std::string_view algorithm = {};  ///< what is then in use
    mutable copy::Field extents = {};

    Backend operator()(MPI_Comm comm) const;
};

Backend Alltoall::Making::operator()(MPI_Comm comm) const {
    const auto known = exchange::KnownCommunicator::get(comm);
    return known->together("Alltoall", [&](const mpi::Communicator& own) {
        const auto block_bytes = equal.value_or(different);
        const bool fits = !equal || can_be_blocks(own.size(), *equal);
        const auto alike = Blocks::equal(own.size(), equal && fits ? *equal : 0);
        auto problem = problem_of(options, own.size());
        std::shared_ptr<Arrays> arrays;
        const Task task{.comm = comm,
                        .own = own,
                        .known = known,
                        .arrays = arrays,
                        .blocks = blocks == nullptr ? alike : *blocks,
                        .block_bytes = block_bytes,
                        .problem = problem};
        mpi::agree_on(own, "calls alltoall with", [&] {
            schedule::check(problem);
            require(fits, "rank ", own.rank(), " calls alltoall with blocks of ", block_bytes,
                    " bytes for each of ", own.size(), " ranks; give 0 to ",
                    most_bytes / own.size());
            check_blocks(own.rank(), task.blocks, own.size());
            arrays = std::make_shared<Arrays>(own.rank(), send, receive, task.blocks,
                                              options.any_memory, keep_alive);
            require(equal || !arrays->in_place(), "rank ", own.rank(),
                    " sends blocks of different lengths in place; give two arrays");
            return words_of(options, equal, arrays->in_place());
        });
        if (block_bytes == different) {
            check_lengths(own, *blocks);
        }
        if (options.ranks_per_node == 0) {
            problem.ranks_per_node = found_ranks_per_node(own, known->node());
        }
        auto circumstances = circumstances_of(own, task, options.algorithm);
        const auto name = name_of(own, options, problem, circumstances, block_bytes);
        if (name == automatic && measuring_decides(circumstances, own.size())) {
            circumstances.mpi_is_faster = mpi_is_faster(task);
        }
        const Method* method = nullptr;
        mpi::agree(own, [&] { method = &choose(name, problem, circumstances); });
        algorithm = method->name;
        extents = {.source_bytes = task.blocks.send_extent(),
                   .destination_bytes = task.blocks.receive_extent(),
                   .unit_bytes = 1};
        return method->make(task);
    });
}

Alltoall::Alltoall(MPI_Comm comm, const Making& making)
    : Exchange(comm, std::cref(making)), algorithm_(making.algorithm), extents_(making.extents) {}

Alltoall::Alltoall(MPI_Comm comm, const void* send, void* receive, std::int64_t block_bytes,
                   const AlltoallOptions& options, const std::shared_ptr<void>& keep_alive)
    : Alltoall(comm, Making{.send = send,
                            .receive = receive,
                            .blocks = nullptr,
                            .equal = block_bytes,
                            .options = options,
                            .keep_alive = keep_alive}) {}

Alltoall::Alltoall(MPI_Comm comm, const void* send, void* receive, const Blocks& blocks,
                   const AlltoallOptions& options, const std::shared_ptr<void>& keep_alive)
    : Alltoall(comm, Making{.send = send,
                            .receive = receive,
                            .blocks = &blocks,
                            .equal = std::nullopt,
                            .options = options,
                            .keep_alive = keep_alive}) {}

void Alltoall::start_with(const void* send, void* receive,
                          const std::shared_ptr<void>& keep_alive) {
    start_with(std::array{field_of(extents_, send, receive, keep_alive)});
}

void Alltoall::run_with(const void* send, void* receive, const std::shared_ptr<void>& keep_alive) {
    run_with(std::array{field_of(extents_, send, receive, keep_alive)});
}

void alltoall(MPI_Comm comm, const void* send, void* receive, std::int64_t block_bytes,
              const AlltoallOptions& options, const std::shared_ptr<void>& keep_alive) {
    const auto known = exchange::KnownCommunicator::get(comm);
    const mpi::Call call(known->base(), "alltoall");
    auto bound = options;
    bound.any_memory = false;
    Alltoall(comm, send, receive, block_bytes, bound, keep_alive).run();
}

}  // namespace transrank::collective
