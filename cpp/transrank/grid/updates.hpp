// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "transrank/copy/field.hpp"
#include "transrank/exchange/exchange.hpp"
#include "transrank/exchange/fields.hpp"

namespace transrank::grid {

/// Arrays of one start: each is both source and destination.
using Fields = std::vector<copy::Field>;

/// Exchanges of any memory, one for each kind of arrays that was moved. Copies have them in common.
class Updates {
public:
    /// Moves what `fields` returns. Collective where it is the first of its kind, by `bind`, which
    /// binds what it is given and tells all ranks what that throws.
    void move(const std::function<Fields()>& fields,
              const std::function<exchange::Exchange(const std::function<Fields()>&)>& bind) {
        const auto given = made(fields);
        auto found = std::ranges::find_if(
            *known_, [&](const auto& known) { return exchange::are_alike(known.first, given); });
        if (given.empty() || found == known_->end()) {
            auto bound = bind(fields);
            known_->emplace_back(given, std::move(bound));
            found = std::prev(known_->end());
            for (auto& field : found->first) {
                field.keep_alive = nullptr;
            }
        }
        found->second.run_with(given);
    }

private:
    // What cannot be made is none of the known ones.
    static Fields made(const std::function<Fields()>& fields) {
        try {
            return fields();
        } catch (...) {
            return {};
        }
    }

    std::shared_ptr<std::vector<std::pair<Fields, exchange::Exchange>>> known_ =
        std::make_shared<std::vector<std::pair<Fields, exchange::Exchange>>>();
};

}  // namespace transrank::grid
