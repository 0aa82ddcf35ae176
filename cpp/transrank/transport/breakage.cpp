// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/transport/breakage.hpp"

#include <string>

namespace transrank::transport {
namespace {

constexpr int cause_bits = 32;

std::string describe(const Breakage& breakage) {
    const auto rank = "rank " + std::to_string(breakage.rank);
    switch (breakage.cause) {
        case Breakage::Cause::misuse:
            return rank +
                   " has broken this exchange: it was started twice, or waited for before its "
                   "first "
                   "start, there; bind a new one";
        case Breakage::Cause::ended:
            return rank + " has ended before this exchange was over";
        case Breakage::Cause::gone:
            return rank + " has destroyed its side of this exchange; bind a new one";
        case Breakage::Cause::absent:
            return rank +
                   " has ended, or is about to, and will not come to the collective call in which "
                   "others wait for it; look for an error of that rank";
        case Breakage::Cause::alone:
            return rank +
                   " has failed alone in a collective call, and its communicator takes no further "
                   "ones; look for an error of that rank, and go on with a duplicate";
        case Breakage::Cause::failed:
        case Breakage::Cause::none:
            break;
    }
    return rank + " has abandoned this exchange after an error; bind a new one";
}

}  // namespace

std::uint64_t Breakage::encoded() const noexcept {
    return (static_cast<std::uint64_t>(cause) << cause_bits) | static_cast<std::uint32_t>(rank);
}

Breakage Breakage::decoded(std::uint64_t word) noexcept {
    return {.cause = static_cast<Cause>(word >> cause_bits),
            .rank = static_cast<int>(static_cast<std::uint32_t>(word))};
}

BrokenExchange::BrokenExchange(const Breakage& breakage)
    : std::runtime_error(describe(breakage)), breakage_(breakage) {}

void check_unbroken(std::uint64_t encoded_breakage) {
    if (encoded_breakage != 0) {
        throw BrokenExchange(Breakage::decoded(encoded_breakage));
    }
}

}  // namespace transrank::transport
