// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "transrank/collective/task.hpp"
#include "transrank/exchange/one_transport.hpp"

namespace transrank::collective {

/// One transport for all blocks.
class OneTransport final : public exchange::OneTransport {
public:
    /// Collective.
    explicit OneTransport(const Task& task)
        : exchange::OneTransport(task.known), arrays_(task.arrays) {}

    void take(std::optional<std::span<const copy::Field>> given) override { arrays_->take(given); }

private:
    std::shared_ptr<Arrays> arrays_;
};

}  // namespace transrank::collective
