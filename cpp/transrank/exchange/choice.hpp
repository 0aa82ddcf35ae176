// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "transrank/transport/transport.hpp"

namespace transrank::exchange {

/// Below which length direct transport pushes a run when nothing was measured: a cache line or two.
inline constexpr std::int64_t default_push_below_bytes = 128;

/// The transport of one peer, and why that one.
struct Choice {
    const transport::Entry* entry;
    std::string reason;
};

/// The choice for each of the binding's offers. Both ranks of a pair make the same one. `wanted` is
/// `auto` or the name of a transport; throws std::invalid_argument when it is unknown or cannot
/// serve a peer.
[[nodiscard]] std::vector<Choice> choose(const transport::Binding& binding,
                                         const std::string& wanted);

/// Collective. One object for each transport chosen, ready to be started; throws mpi::AgreedError
/// when one cannot be had on some rank.
[[nodiscard]] std::vector<std::unique_ptr<transport::Transport>> make_transports(
    const transport::Binding& binding, std::span<const Choice> choices, const std::string& wanted);

/// A text table: peers, bytes, runs, transport, reason.
[[nodiscard]] std::string explain(const route::Route& route,
                                  std::span<const transport::Field> fields,
                                  std::span<const transport::PeerOffer> offers,
                                  std::span<const Choice> choices);

}  // namespace transrank::exchange
