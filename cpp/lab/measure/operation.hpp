// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "lab/text/json.hpp"

namespace transrank::lab::measure {

/// One case made ready to run: buffers, requests, communicators. Made and destroyed collectively.
///
/// A repetition works on one slot of the workspace; the i-th repetition of a batch on slot
/// i % slots, so that a batch need not meet its own cached data (see CacheMode).
class Operation {
public:
    Operation() = default;
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;
    virtual ~Operation() = default;

    /// Whether this rank has a part in the case. The times of one that has none do not count.
    [[nodiscard]] virtual bool takes_part() const { return true; }

    /// Writes the payload that belongs to `stamp` into everything this rank sends, and something
    /// else into everything it receives. Not timed.
    virtual void fill(std::uint64_t stamp) = 0;

    /// Before each repetition that has a clock pair of its own (TimingKind::single), not timed: the
    /// work of an application between two operations.
    virtual void prepare() {}

    /// The timed region: `repetitions` repetitions from slot 0 on. Collective.
    virtual void run(std::int64_t repetitions) = 0;

    /// With TimingKind::own: the seconds of the last run that count.
    [[nodiscard]] virtual double own_seconds() const { return 0; }

    /// Compares the slots that the last run of `repetitions` received into with the payload of the
    /// last fill. Not timed. Returns the bytes compared; throws WrongPayload.
    virtual std::uint64_t verify(std::int64_t repetitions) = 0;

    /// Collective. Writes members of the case's line that only this study has, on rank 0; the
    /// writer stands in the object of the line.
    virtual void describe(text::JsonWriter& /*json*/) {}
};

/// What an operation is, too, whose repetitions are begun and completed apart: `run` is both,
/// repeated.
class Split {
public:
    Split() = default;
    Split(const Split&) = delete;
    Split& operator=(const Split&) = delete;
    virtual ~Split() = default;

    virtual void start() = 0;
    virtual void finish() = 0;

protected:
    /// What `run` is.
    void repeat(std::int64_t repetitions) {
        for (std::int64_t i = 0; i < repetitions; ++i) {
            start();
            finish();
        }
    }
};

}  // namespace transrank::lab::measure
