// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

namespace transrank::lab::study::collectives {

/// How much of a buffer a call uses: blocks of `bytes`, or this rank's share of one of them.
enum class Blocks : std::uint8_t { none, one, one_per_rank, share };

/// Of a block of `count` elements that the ranks share as evenly as possible: where the part of
/// `rank` begins.
[[nodiscard]] constexpr std::int64_t share_begin(std::int64_t count, int rank, int ranks) {
    return (count / ranks * rank) + std::min<std::int64_t>(rank, count % ranks);
}

/// What `rank` uses of a buffer where a block has `count` elements, in elements; no rank uses more
/// than rank 0.
[[nodiscard]] constexpr std::int64_t used(Blocks blocks, std::int64_t count, int rank, int ranks) {
    switch (blocks) {
        case Blocks::none:
            return 0;
        case Blocks::one:
            return count;
        case Blocks::one_per_rank:
            return count * ranks;
        case Blocks::share:
            return share_begin(count, rank + 1, ranks) - share_begin(count, rank, ranks);
    }
    return 0;
}

/// The ranks on which it does.
enum class Ranks : std::uint8_t { every, root, all_but_root };

struct Side {
    Blocks blocks = Blocks::none;
    Ranks ranks = Ranks::every;
};

/// The ranks whose numbers a reduction combines for a rank.
enum class Over : std::uint8_t { nothing, all, up_to_own, below_own };

/// What a call moves: from whose blocks, into whose.
struct Flow {
    Side send;
    Side receive;
    Over over = Over::nothing;

    [[nodiscard]] constexpr bool reduces() const { return over != Over::nothing; }
    [[nodiscard]] constexpr bool moves() const { return send.blocks != Blocks::none; }
    [[nodiscard]] constexpr bool rooted() const {
        return send.ranks != Ranks::every || receive.ranks != Ranks::every;
    }
};

/// What a call of a collective operation may be given; each operation takes what it needs.
struct Call {
    std::byte* send;  ///< or MPI_IN_PLACE
    std::byte* receive;
    int count;  ///< elements of one block
    MPI_Datatype datatype;
    MPI_Op reduction;
    const int* counts;                   ///< of each rank's block or share, in elements
    const int* displacements;            ///< where it begins
    const MPI_Aint* byte_displacements;  ///< the same in bytes, for neighborhoods
    const MPI_Datatype* types;           ///< of each rank's block: all equal to `datatype`
    int rank;
    int root;
    MPI_Comm comm;
};

/// The forms in which MPI offers one operation. They return MPI's code.
struct Forms {
    int (*blocking)(const Call& call);
    int (*nonblocking)(const Call& call, MPI_Request* request);
    /// Makes an inactive request; nullptr where mpi.h does not declare the function.
    int (*persistent)(const Call& call, MPI_Request* request);
};

/// Whether the MPI library of this program has a function. What mpi.h declares may be missing from
/// an older library of the same binary interface.
[[nodiscard]] bool library_has(const std::string& function);

template <class Function, class Arguments>
inline constexpr bool is_declared = false;
template <class Function, class... Arguments>
inline constexpr bool is_declared<Function, std::tuple<Arguments...>> =
    requires(Function function, Arguments... arguments, MPI_Info info, MPI_Request* request) {
        function(arguments..., info, request);
    };

/// The forms of an operation, whose MPI functions differ only in what follows their common
/// arguments: the tuple `Arguments{}(call)`. The other three pass theirs on to MPI. The persistent
/// one is constrained by whether mpi.h declares the function: MPI 4.0 does, some libraries of
/// MPI 3.1 do as well.
template <class Arguments, class Blocking, class Nonblocking, class Persistent>
[[nodiscard]] constexpr Forms forms_of(Arguments /*of a call*/, Blocking /*MPI_X*/,
                                       Nonblocking /*MPI_Ix*/, Persistent /*MPI_X_init*/) {
    Forms forms{};
    forms.blocking = [](const Call& call) { return std::apply(Blocking{}, Arguments{}(call)); };
    forms.nonblocking = [](const Call& call, MPI_Request* request) {
        return std::apply([=](auto... of_call) { return Nonblocking{}(of_call..., request); },
                          Arguments{}(call));
    };
    if constexpr (is_declared<Persistent, decltype(Arguments{}(Call{}))>) {
        forms.persistent = [](const Call& call, MPI_Request* request) {
            return std::apply(
                [=](auto... of_call) { return Persistent{}(of_call..., MPI_INFO_NULL, request); },
                Arguments{}(call));
        };
    }
    return forms;
}

/// The forms of MPI_Call, MPI_Icall and MPI_Call_init.
#define FORMS(arguments, Call, Icall)                          \
    transrank::lab::study::collectives::forms_of(              \
        arguments, [](auto... a) { return MPI_##Call(a...); }, \
        [](auto... a) { return MPI_##Icall(a...); },           \
        [](auto... a)                                          \
            requires requires { MPI_##Call##_init(a...); }     \
        { return MPI_##Call##_init(a...); })

/// Arguments that several operations have in common, also those of neighborhoods.
namespace arguments {

inline constexpr auto blocks = [](const Call& c) {
    return std::tuple(c.send, c.count, c.datatype, c.receive, c.count, c.datatype, c.comm);
};
inline constexpr auto block_to_places = [](const Call& c) {
    return std::tuple(c.send, c.count, c.datatype, c.receive, c.counts, c.displacements, c.datatype,
                      c.comm);
};
inline constexpr auto places = [](const Call& c) {
    return std::tuple(c.send, c.counts, c.displacements, c.datatype, c.receive, c.counts,
                      c.displacements, c.datatype, c.comm);
};

}  // namespace arguments

/// One collective operation of MPI.
struct Collective {
    std::string_view name;
    Flow flow;
    /// Takes displacements, which count bytes in an int.
    bool displaced = false;
    /// Every rank may give MPI_IN_PLACE for what it sends.
    bool in_place = false;
    Forms forms;

    /// `MPI_Allreduce`, and with a suffix `MPI_Allreduce_init`.
    [[nodiscard]] std::string mpi_name(std::string_view suffix = "") const;
    /// Why this MPI lacks the persistent form; empty when it has it.
    [[nodiscard]] std::string reason_against_persistent() const;
};

[[nodiscard]] std::span<const Collective> all();

/// Throws std::invalid_argument when there is none of this name.
[[nodiscard]] const Collective& find(std::string_view name);

}  // namespace transrank::lab::study::collectives
