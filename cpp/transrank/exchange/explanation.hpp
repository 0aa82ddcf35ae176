// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <string>

#include "transrank/exchange/choice.hpp"
#include "transrank/exchange/thresholds.hpp"
#include "transrank/memory/node.hpp"
#include "transrank/transport/transport.hpp"

namespace transrank::exchange {

/// A text table: peers, bytes, runs, transport, reason; below it the threshold between pushing and
/// pulling where that matters, and whose end would or would not be noticed.
[[nodiscard]] std::string explain(const transport::Binding& binding,
                                  std::span<const Choice> choices, const memory::Node& node,
                                  const Thresholds& thresholds);

/// What transports have found out since, one line each; empty before they have moved anything.
[[nodiscard]] std::string explain_findings(
    std::span<const std::unique_ptr<transport::Transport>> transports);

}  // namespace transrank::exchange
