// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "transrank/copy/moves.hpp"

namespace transrank::copy {

/// Moves that are executed again and again, and that measure which kind of stores is faster.
///
/// Stores that go past the caches save reading each line before it is written, but whoever reads
/// the result next must fetch it from memory. If an exchange's data exceed the rank's share of the
/// caches, and these moves a core's own caches, the first executions take one kind of stores and
/// then the other. They are timed, including a reading of the result; later ones take the faster
/// kind. The kinds do not alternate: each would find the caches as the other has left them. Each
/// rank decides for the data that it writes.
class RepeatedMoves {
public:
    /// `moved_bytes`: what the rank reads or writes in one execution of all that it moves.
    RepeatedMoves(Stores stores, std::int64_t moved_bytes);

    void add(Move move);
    void execute();
    /// What was found, in words that begin with `whose`; empty where nothing was to be found.
    [[nodiscard]] std::string finding(const std::string& whose) const;

private:
    // Of each kind, the first of which does not count: it touches the pages, or finds the caches
    // as the other kind has left them.
    static constexpr int trials = 4;

    [[nodiscard]] bool is_open() const noexcept;
    void execute_with(Stores stores) const;
    void read_back() const;
    void try_next();

    std::vector<Move> moves_;
    std::int64_t copied_bytes_ = 0;
    int tried_ = 0;
    double least_cached_ = 0;  // seconds; 0: not yet tried
    double least_streamed_ = 0;
    Stores wanted_;
    bool cached_by_size_;
    Stores found_ = Stores::cached;
};

}  // namespace transrank::copy
