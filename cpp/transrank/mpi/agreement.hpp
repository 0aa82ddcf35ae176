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

/// An error that all ranks of a communicator throw together, with the text of the lowest rank that
/// had an error.
class AgreedError : public std::invalid_argument {
public:
    using std::invalid_argument::invalid_argument;
};

/// While this object lives, the collective call that this rank makes over `comm` is called `name`,
/// unless it is part of another named call. If ranks are in calls of different names, they throw
/// AgreedError. The text of `name` must outlive the object.
class Call {
public:
    /// Names the call that this rank makes over `comm`. Throws nothing.
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

/// Texts that ranks compare with each other.
using Words = std::vector<std::string>;

/// The largest number of sums that a caller can give to `meet`.
inline constexpr std::size_t most_sums = 63;

/// Collective. Every collective call, and every agreement, begins with `meet`. Replaces each
/// element of `sums` by its total over all ranks; `sums` has at most `most_sums` elements. Throws
/// AgreedError on every rank if some ranks make different calls (see Call).
void meet(const Communicator& comm, std::span<std::uint64_t> sums);

/// Collective. Runs `work`, which must not communicate, on every rank. All ranks throw the same
/// AgreedError in the first of these cases that occurs:
/// 1. The words `given` differ between ranks. The text is, for example, `rank 2 {what} {its first
/// word that differs}, rank 0 {rank 0's}`.
/// 2. `work` throws. The text is the message of the lowest rank on which it throws, at most a
/// mebibyte of it.
/// 3. The words that `work` returns differ between ranks. The text is as for `given`.
///
/// agree_on itself needs no memory if there are no words and no rank throws. `work` may also fill
/// `given`; if it throws before that, `given` is not compared. `work` may set the elements of
/// `sums`; each is then replaced by its total over all ranks. `sums` has at most (`most_sums` - 2)
/// elements.
void agree_on(const Communicator& comm, std::string_view what, const std::function<Words()>& work,
              const Words& given = {}, std::span<std::uint64_t> sums = {});

/// Collective. As agree_on with `work`, but only compares the words `given`.
inline void agree_on(const Communicator& comm, std::string_view what, const Words& given) {
    agree_on(comm, what, [] { return Words(); }, given);
}

/// Collective. As agree_on, with the same `what`, `given` and `sums`, but `work` returns nothing.
template <class Work>
void agree(const Communicator& comm, const Work& work, std::string_view what = {},
           const Words& given = {}, std::span<std::uint64_t> sums = {}) {
    const auto say_nothing = [&] {
        work();
        return Words();
    };
    agree_on(comm, what, std::cref(say_nothing), given, sums);
}

/// Collective. As agree_on, with the same `what`, `given` and `sums`, but returns what `work`
/// returns, which is not compared.
template <class Work>
[[nodiscard]] auto agreed(const Communicator& comm, const Work& work, std::string_view what = {},
                          const Words& given = {}, std::span<std::uint64_t> sums = {}) {
    std::optional<std::invoke_result_t<Work>> made;
    agree(comm, [&] { made.emplace(work()); }, what, given, sums);
    return *std::move(made);  // NOLINT(bugprone-unchecked-optional-access): else agree has thrown
}

/// Collective. If `failed` is true on some rank, throws AgreedError on every rank, with the `text`
/// of the lowest rank that failed. If that text is empty, the error says that the rank lacks
/// memory.
void throw_first(const Communicator& comm, bool failed, const std::string& text);

/// Not collective. Returns a checksum of `words` and of this rank's place in `comm`. If all ranks
/// have the same words, the sum of the ranks' checksums is 0, modulo 2^64; otherwise the sum is 0
/// with a probability of 2^-64. Throws nothing.
[[nodiscard]] std::uint64_t balance_of(const Communicator& comm, const Words& words);

}  // namespace transrank::mpi
