// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <stdexcept>

namespace transrank::transport {

/// Why an exchange cannot go on, and on which rank the failure began. Peers pass the failure on, so
/// that every waiting rank learns of it and reports the same rank.
struct Failure {
    enum class Cause : std::uint32_t {
        none,
        misuse,      ///< the exchange was started twice, or waited for before the first start
        ended,       ///< the process has ended
        failed,      ///< an error occurred while data moved
        gone,        ///< the rank's side of the exchange was destroyed
        absent,      ///< the process has ended, or is ending, without making a collective call
        alone,       ///< a collective call has failed on this rank alone
        unreadable,  ///< a peer could not read the rank's array
    };
    Cause cause = Cause::none;
    int rank = -1;

    /// `encoded` converts this failure to one word, for a flag or a message; `decoded` converts a
    /// `word` back. The word 0 means no failure.
    [[nodiscard]] std::uint64_t encoded() const noexcept;
    [[nodiscard]] static Failure decoded(std::uint64_t word) noexcept;
};

/// Thrown when another rank has broken an exchange.
class BrokenExchange : public std::runtime_error {
public:
    /// Its text names the rank and the cause of `failure`. Throws nothing but std::bad_alloc.
    explicit BrokenExchange(const Failure& failure);
    [[nodiscard]] const Failure& failure() const noexcept { return failure_; }

private:
    Failure failure_;
};

/// Throws BrokenExchange unless `encoded_failure` (see Failure::encoded) is 0. After a failure,
/// nothing arrives that was not published before.
void check_unbroken(std::uint64_t encoded_failure);

}  // namespace transrank::transport
