// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "transrank/transport/transport.hpp"

namespace transrank::exchange {

/// The transport of one peer, and why that one.
struct Choice {
    const transport::Entry* entry;
    std::string reason;
};

/// Transports that have failed for a peer, on this rank or on the peer, although nothing spoke
/// against them.
struct Refusal {
    int rank;
    const transport::Entry* entry;
    std::string reason;
};

/// The choice for each of the binding's offers. Both ranks of a pair make the same one. Throws
/// std::invalid_argument when what is wanted is unknown or cannot serve a peer.
[[nodiscard]] std::vector<Choice> choose(const transport::Binding& binding,
                                         std::span<const Refusal> refusals);

}  // namespace transrank::exchange
