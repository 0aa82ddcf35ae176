// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "transrank/exchange/choice.hpp"
#include "transrank/exchange/fitting.hpp"
#include "transrank/memory/node.hpp"
#include "transrank/transport/transport.hpp"

namespace transrank::exchange {

/// A text table: peers, bytes, runs, transport, reason; below it which peers' end would be noticed,
/// and how, and what the transports say of themselves.
[[nodiscard]] std::string explain(const transport::Binding& binding,
                                  std::span<const Choice> choices, const memory::Node& node,
                                  const Transports& transports);

}  // namespace transrank::exchange
