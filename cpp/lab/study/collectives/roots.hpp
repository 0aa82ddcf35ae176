// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

namespace transrank::lab::study::collectives {

/// The root of one call after another: rank 0, or the first `different` ranks in turn.
class Roots {
public:
    explicit Roots(int different) noexcept : different_(different) {}

    [[nodiscard]] int different() const noexcept { return different_; }

    /// The root of the next call.
    int next() noexcept {
        const int root = next_;
        next_ = root + 1 == different_ ? 0 : root + 1;
        ++calls_;
        return root;
    }

    /// The buffers have been filled anew: no call so far shows in them.
    void forget() noexcept { calls_ = 0; }

    /// Whether `rank` has been the root since then.
    [[nodiscard]] bool has_been(int rank) const noexcept {
        return rank < different_ && (next_ - rank - 1 + different_) % different_ < calls_;
    }

    /// The last root since then.
    [[nodiscard]] std::optional<int> last() const noexcept { return back(1); }

    /// The last root since then other than `rank`.
    [[nodiscard]] std::optional<int> last_but(int rank) const noexcept {
        if (different_ == 1) {
            return last() == rank ? std::nullopt : last();
        }
        return last() == rank ? back(2) : last();
    }

private:
    [[nodiscard]] std::optional<int> back(int calls) const noexcept {
        if (calls > calls_) {
            return std::nullopt;
        }
        return (next_ - calls + (2 * different_)) % different_;
    }

    int different_;
    int next_ = 0;
    std::int64_t calls_ = 0;
};

}  // namespace transrank::lab::study::collectives
