// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lab/study/redistribute/bundle.hpp"

namespace transrank::lab::study::redistribute {

/// A way of which two phases are timed: `store` makes the route and what moves data along it, `run`
/// moves them.
class Stored : public Bundle {
public:
    Stored(const measure::Case& point, const Setting& setting, const Arrays& arrays)
        : Bundle(point, setting, arrays), stores_(point.text("phase") == "store") {}

    /// What was stored last is tried.
    std::uint64_t verify(std::int64_t repetitions) final {
        if (stores_) {
            move();
        }
        return Bundle::verify(repetitions);
    }

protected:
    /// Collective.
    virtual void store() = 0;
    virtual void move() = 0;
    [[nodiscard]] bool stores() const { return stores_; }

private:
    void redistribute() final { stores_ ? store() : move(); }

    bool stores_;
};

}  // namespace transrank::lab::study::redistribute
