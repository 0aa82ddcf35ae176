// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "lab/study/collectives/collective.hpp"

namespace transrank::lab::study::collectives {

/// The root of one call after another: rank 0, or the first `different` ranks in turn.
class Roots {
public:
    explicit Roots(int different) noexcept : different_(different) {}

    [[nodiscard]] int different() const noexcept { return different_; }

    /// The root of the next call.
    int next() noexcept {
        const int root = next_;
        next_ = root + 1 == different_ ? 0 : root + 1;
        ++calls_;
        return root;
    }

    /// The buffers have been filled anew: no call so far shows in them.
    void forget() noexcept { calls_ = 0; }

    /// Whether `rank` has been the root since then.
    [[nodiscard]] bool has_been(int rank) const noexcept {
        return rank < different_ && (next_ - rank - 1 + different_) % different_ < calls_;
    }

    /// The last root since then.
    [[nodiscard]] std::optional<int> last() const noexcept { return back(1); }

    /// The last root since then other than `rank`.
    [[nodiscard]] std::optional<int> last_but(int rank) const noexcept {
        if (different_ == 1) {
            return last() == rank ? std::nullopt : last();
        }
        return last() == rank ? back(2) : last();
    }

private:
    [[nodiscard]] std::optional<int> back(int calls) const noexcept {
        if (calls > calls_) {
            return std::nullopt;
        }
        return (next_ - calls + (2 * different_)) % different_;
    }

    int different_;
    int next_ = 0;
    std::int64_t calls_ = 0;
};

/// What one rank sends from and receives into.
struct Buffers {
    Flow flow;
    std::span<std::byte> send;
    std::span<std::byte> receive;
    std::size_t block_bytes;
    std::size_t result_bytes;  ///< of `receive`, in which a call leaves its result
    MPI_Op reduction;
    int rank;
    int ranks;
};

/// The data of a case: what is sent, and what must have come of it.
class Contents {
public:
    Contents() = default;
    Contents(const Contents&) = delete;
    Contents& operator=(const Contents&) = delete;
    virtual ~Contents() = default;

    /// Writes the payload of `stamp`, and something else where it will be received.
    virtual void fill(std::uint64_t stamp) = 0;

    /// Compares what the calls since the last fill, with these roots, have left on this rank.
    /// Returns the bytes compared; throws measure::WrongPayload.
    [[nodiscard]] virtual std::uint64_t verify(const Roots& roots) const = 0;
};

/// Blocks that arrive as they were sent.
[[nodiscard]] std::unique_ptr<Contents> make_blocks(const Buffers& buffers);

/// A type of number in whose sums all ranks take part.
struct Datatype {
    std::string_view name;
    MPI_Datatype handle;
    std::int64_t bytes;
    /// The sums of more ranks than these are not exact, or overflow.
    int most_ranks;
    std::unique_ptr<Contents> (*contents)(const Buffers& buffers);
};

[[nodiscard]] std::span<const Datatype> datatypes();

/// Throws std::invalid_argument when there is none of this name.
[[nodiscard]] const Datatype& find_datatype(std::string_view name);

}  // namespace transrank::lab::study::collectives
