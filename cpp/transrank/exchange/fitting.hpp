// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "transrank/exchange/choice.hpp"
#include "transrank/transport/transport.hpp"

namespace transrank::exchange {

using Transports = std::vector<std::unique_ptr<transport::Transport>>;

/// Collective. One object for each transport chosen, ready to be started. Empty on all ranks when
/// one of them could not have a transport that `auto` had chosen, or lacks a communicator for
/// messages: the pairs concerned find what was refused among their `refusals`, and all choose
/// again; messages of whole nodes are refused on all ranks. Throws mpi::AgreedError when that
/// happens to a transport asked for by name.
[[nodiscard]] bool fit_transports(const transport::Binding& binding,
                                  std::span<const Choice> choices, Transports& transports,
                                  std::vector<Refusal>& refusals);

}  // namespace transrank::exchange
