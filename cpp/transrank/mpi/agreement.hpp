// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "transrank/mpi/communicator.hpp"

namespace transrank::mpi {

/// An error that all ranks of a communicator throw together, with the words of the first rank that
/// had it.
class AgreedError : public std::invalid_argument {
public:
    using std::invalid_argument::invalid_argument;
};

/// As long as this lives, the collective call that this rank makes over `comm` has this name,
/// unless it is part of another call. Ranks in calls of different names do not agree. The name must
/// outlive this.
class Call {
public:
    /// Throws nothing.
    Call(const Communicator& comm, std::string_view name)
        : call_(comm.state()->call), before_(call_) {
        call_ = before_.empty() ? name : before_;
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call() { call_ = before_; }

private:
    std::string_view& call_;
    std::string_view before_;
};

using Words = std::vector<std::string>;

/// How many numbers go into a meeting besides its own.
inline constexpr std::size_t most_sums = 63;

/// Collective. All collective calls, and all agreements, begin alike: replaces `sums`, `most_sums`
/// at most, by their sums over all ranks. Throws AgreedError on every rank when some ranks make
/// different calls (Call).
void meet(const Communicator& comm, std::span<std::uint64_t> sums);

/// Collective. Runs `work`, which must not communicate, on every rank. All ranks throw the same
/// AgreedError when the words of some rank are not those of rank 0, or `work` throws somewhere:
/// 1. The words `given` differ: `rank 2 {what} {its first word that differs}, rank 0 {rank 0's}`.
/// 2. `work` throws: the message of the lowest such rank, at most a mebibyte of it.
/// 3. The words that `work` returns differ: as for `given`.
/// Of several the first counts. Needs no memory itself where nothing is said and none throws.
/// `work` may give the words as well; where it throws before, they are not compared.
/// `sums`, most_sums - 2 at most, go with it: `work` may set them, and then they are the sums over
/// all ranks.
void agree_on(const Communicator& comm, std::string_view what, const std::function<Words()>& work,
              const Words& given = {}, std::span<std::uint64_t> sums = {});

/// Collective. The same of words alone.
inline void agree_on(const Communicator& comm, std::string_view what, const Words& given) {
    agree_on(comm, what, [] { return Words(); }, given);
}

/// Collective. The same for work that says nothing itself; `what` and `sums` as there.
template <class Work>
void agree(const Communicator& comm, const Work& work, std::string_view what = {},
           const Words& given = {}, std::span<std::uint64_t> sums = {}) {
    const auto say_nothing = [&] {
        work();
        return Words();
    };
    agree_on(comm, what, std::cref(say_nothing), given, sums);
}

/// Collective. The same for work that returns something; `what` and `sums` as there.
template <class Work>
[[nodiscard]] auto agreed(const Communicator& comm, const Work& work, std::string_view what = {},
                          const Words& given = {}, std::span<std::uint64_t> sums = {}) {
    std::optional<std::invoke_result_t<Work>> made;
    agree(comm, [&] { made.emplace(work()); }, what, given, sums);
    return *std::move(made);  // NOLINT(bugprone-unchecked-optional-access): else agree has thrown
}

/// Collective. Throws AgreedError, with the text of the first rank that has `failed`, on every
/// rank if there is one. Where its text is empty, it lacks memory.
void throw_first(const Communicator& comm, bool failed, const std::string& text);

/// Not collective. The sum of these numbers over all ranks is 0 when all give the same words; else
/// with a probability of 2^-64. Throws nothing.
[[nodiscard]] std::uint64_t balance_of(const Communicator& comm, const Words& words);

}  // namespace transrank::mpi
