// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "call.hpp"
#include "channel.hpp"
#include "stream.hpp"
#include "transrank/memory/node_mate.hpp"
#include "transrank/memory/shared_pool.hpp"

namespace transrank::carry {

using Clock = std::chrono::steady_clock;

inline constexpr std::size_t kinds = 3;

/// What a rank sends to each rank, or receives, in a call.
struct Blocks {
    std::vector<Stream> streams;
    std::int64_t bytes = 0;

    void clear() {
        streams.clear();
        bytes = 0;
    }
};

/// The arguments of a call on one rank.
struct Request {
    Kind kind = Kind::alltoall;
    bool refuses = false;  ///< MPI is to do it, on all ranks
    Blocks sends;
    Blocks receives;
};

/// What becomes of a call.
enum class Way : std::uint8_t {
    carried,
    early,    ///< MPI's: one of the first over its communicator
    refused,  ///< MPI's, since the communicator, a datatype or an argument is not one to carry
    trial,    ///< MPI's, in order to time it
    slower,   ///< MPI's, which is faster for such calls
    broken,   ///< nobody's: a peer has ended
};
inline constexpr std::size_t ways = 6;

/// A communicator of the program, kept with it as an attribute. What it decides is the same on all
/// ranks, since they decide it from what all of them know: the number of the call, and the notes.
class Communicator {
public:
    /// nullptr where nothing can be carried at all.
    [[nodiscard]] static Communicator* of(MPI_Comm comm);

    explicit Communicator(MPI_Comm comm);

    /// Collective. Whether ranks tell each other about this call, by `ask`; else the way it goes.
    /// The third call of a kind connects the processes.
    [[nodiscard]] Way enter(Kind kind);

    /// Collective. What the ranks decide about the call.
    [[nodiscard]] Way ask(Request& request);

    /// Collective, after `ask`: moves the data. Returns an error class of MPI, or MPI_SUCCESS.
    [[nodiscard]] int move(Request& request);

    /// How long this rank took, since `ask`, by the way that was decided.
    void took(Clock::duration time);

    [[nodiscard]] int size() const { return size_; }

private:
    /// Calls of one kind with about as many bytes: timed both ways, then decided.
    struct Trial {
        std::uint8_t tried = 0;
        std::uint32_t by_mpi = UINT32_MAX;  ///< the least, in nanoseconds
        std::uint32_t carried = UINT32_MAX;
    };
    /// Another rank, and the channels to it and from it.
    struct Mate {
        std::size_t rank;
        std::shared_ptr<memory::NodeMate> process;
        memory::Doorbell* doorbell;
        std::unique_ptr<memory::MappedBlock> theirs;
        Channel out;
        Channel in;
        std::int64_t arriving = 0;  ///< bytes, of which there may be more than this rank expects
    };
    struct Record;
    enum class Progress : std::uint8_t { none, some, all };

    [[nodiscard]] bool connect();
    void reach(const std::vector<Record>& records);
    void write_notes(Request& request);
    [[nodiscard]] Way decide(Kind kind, std::int64_t most);
    template <class Advance>
    [[nodiscard]] bool wait(const Advance& advance);

    MPI_Comm comm_;
    int rank_ = 0;
    int size_ = 1;
    bool crowded_ = false;
    bool passes_ = false;     ///< everything, from here on
    int passed_in_vain_ = 0;  ///< calls in a row that were asked about, and then MPI's
    std::array<int, kinds> calls_{};
    std::uint64_t asked_ = 0;  ///< calls
    std::int64_t portion_bytes_ = 0;
    std::unique_ptr<memory::SharedBlock> own_;  ///< the channels to the others, by their rank
    std::vector<Mate> mates_;                   ///< once connected; the next rank first
    std::vector<Trial> trials_;
    Trial* timed_ = nullptr;  ///< that the last call belongs to
    bool timed_carried_ = false;
    std::uint32_t nanoseconds_ = 0;  ///< that it took
};

}  // namespace transrank::carry
