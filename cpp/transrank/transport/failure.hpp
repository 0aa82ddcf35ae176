// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <stdexcept>

namespace transrank::transport {

/// Why an exchange cannot go on, and on which rank that began. Passed from peer to peer, so that
/// everybody who waits learns of it and names the same rank.
struct Failure {
    enum class Cause : std::uint32_t {
        none,
        misuse,      ///< started twice, or waited for before the first start
        ended,       ///< the process has ended
        failed,      ///< an error while data moved
        gone,        ///< its side of the exchange was destroyed
        absent,      ///< the process has ended, or begun to, without coming to a collective call
        alone,       ///< a collective call has failed on that rank alone
        unreadable,  ///< a peer could not read its array
    };
    Cause cause = Cause::none;
    int rank = -1;

    /// As one word, for a flag or a message; 0: no failure.
    [[nodiscard]] std::uint64_t encoded() const noexcept;
    [[nodiscard]] static Failure decoded(std::uint64_t word) noexcept;
};

/// An exchange that another rank has broken.
class BrokenExchange : public std::runtime_error {
public:
    /// With a text that names the rank and the cause. Throws nothing but std::bad_alloc.
    explicit BrokenExchange(const Failure& failure);
    [[nodiscard]] const Failure& failure() const noexcept { return failure_; }

private:
    Failure failure_;
};

/// Throws BrokenExchange unless `encoded_failure` is 0: nothing that was not published before it
/// will come.
void check_unbroken(std::uint64_t encoded_failure);

}  // namespace transrank::transport
