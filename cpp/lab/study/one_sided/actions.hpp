// SPDX-License-Identifier: BSD-3-Clause
// The calls that access a window: one class each, with what flows where.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "lab/study/one_sided/operation.hpp"

namespace transrank::lab::study::one_sided {

/// One operation on `bytes` of the target's window.
struct Access {
    MPI_Win window;
    int target;
    const std::byte* give;
    std::byte* take;
    /// What the word holds, and one more, for MPI_Compare_and_swap.
    const std::uint64_t* known;
    int bytes;
    MPI_Datatype word;
    int words;
    MPI_Aint place;
};

// What flows where decides what is filled and checked: data to the target, data from it, or words
// that the target adds up, whose sum before the last addition may come back.
enum class Flow : std::uint8_t { to_target, from_target, adds, adds_and_fetches };

struct Put {
    static constexpr Action action{.name = "put"};
    static constexpr Flow flow = Flow::to_target;
    static constexpr const char* call = "MPI_Put";
    static int access(const Access& a) {
        return MPI_Put(a.give, a.bytes, MPI_BYTE, a.target, a.place, a.bytes, MPI_BYTE, a.window);
    }
};

struct Get {
    static constexpr Action action{.name = "get"};
    static constexpr Flow flow = Flow::from_target;
    static constexpr const char* call = "MPI_Get";
    static int access(const Access& a) {
        return MPI_Get(a.take, a.bytes, MPI_BYTE, a.target, a.place, a.bytes, MPI_BYTE, a.window);
    }
};

struct Accumulate {
    static constexpr Action action{.name = "accumulate", .words = true};
    static constexpr Flow flow = Flow::adds;
    static constexpr const char* call = "MPI_Accumulate";
    static int access(const Access& a) {
        return MPI_Accumulate(a.give, a.words, a.word, a.target, a.place, a.words, a.word, MPI_SUM,
                              a.window);
    }
};

struct GetAccumulate {
    static constexpr Action action{.name = "get-accumulate", .words = true};
    static constexpr Flow flow = Flow::adds_and_fetches;
    static constexpr const char* call = "MPI_Get_accumulate";
    static int access(const Access& a) {
        return MPI_Get_accumulate(a.give, a.words, a.word, a.take, a.words, a.word, a.target,
                                  a.place, a.words, a.word, MPI_SUM, a.window);
    }
};

struct FetchAndOp {
    static constexpr Action action{.name = "fetch-and-op", .words = true, .one_word = true};
    static constexpr Flow flow = Flow::adds_and_fetches;
    static constexpr const char* call = "MPI_Fetch_and_op";
    static int access(const Access& a) {
        return MPI_Fetch_and_op(a.give, a.take, a.word, a.target, a.place, MPI_SUM, a.window);
    }
};

/// Each swaps in one more than the word holds: it adds 1.
struct CompareAndSwap {
    static constexpr Action action{.name = "compare-and-swap", .words = true, .one_word = true};
    static constexpr Flow flow = Flow::adds_and_fetches;
    static constexpr const char* call = "MPI_Compare_and_swap";
    static int access(const Access& a) {
        return MPI_Compare_and_swap(&a.known[1], &a.known[0], a.take, a.word, a.target, a.place,
                                    a.window);
    }
};

}  // namespace transrank::lab::study::one_sided
