// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "bound_arrays.hpp"
#include "transrank/exchange/exchange.hpp"

namespace transrank::bindings {

/// What is bound to arrays of Python, and keeps them alive: the same life for all that move them.
class Bound {
public:
    Bound(const Bound&) = delete;
    Bound& operator=(const Bound&) = delete;
    virtual ~Bound() = default;

    void start() {
        check_in_place();
        const nanobind::gil_scoped_release released;
        start_moving();
    }
    [[nodiscard]] bool test() {
        const nanobind::gil_scoped_release released;
        return is_over();
    }
    /// Lets signal handlers run now and then: an exception of theirs (KeyboardInterrupt) leaves
    /// what moves under way, and it can be waited for again. Whether it was over in time.
    [[nodiscard]] bool wait_for(double seconds) {
        while (!is_over_within(std::min(seconds, seconds_between_signals))) {
            if (PyErr_CheckSignals() != 0) {
                throw nanobind::python_error();
            }
            seconds -= seconds_between_signals;
            if (seconds <= 0) {
                return false;
            }
        }
        return true;
    }
    void wait() { (void)wait_for(std::numeric_limits<double>::infinity()); }
    virtual void run() {
        start();
        wait();
    }
    virtual void abandon(const std::string& why) = 0;
    [[nodiscard]] virtual std::string explain() const = 0;

protected:
    Bound(int rank, const char* noun, BoundArrays arrays)
        : rank_(rank), noun_(noun), arrays_(std::move(arrays)) {}

    void check_in_place() {
        if (const auto what = arrays_.moved_away()) {
            abandon(*what + ", on rank " + std::to_string(rank_) + "; the " + noun_ +
                    " is broken, bind a new one");
        }
    }

private:
    static constexpr double seconds_between_signals = 0.2;

    virtual void start_moving() = 0;
    virtual bool is_over() = 0;
    virtual bool wait_in_slice(double seconds) = 0;

    [[nodiscard]] bool is_over_within(double seconds) {
        const nanobind::gil_scoped_release released;
        return wait_in_slice(seconds);
    }

    int rank_;
    const char* noun_;
    BoundArrays arrays_;
};

/// By something of the library's, which `make` makes, collectively and without the interpreter,
/// for the fields of the arrays.
template <class Moved>
class BoundTo : public Bound {
public:
    template <class Make>
    BoundTo(int rank, const char* noun, BoundArrays arrays, const Make& make)
        : Bound(rank, noun, arrays), moved_(made(arrays.fields(), make)) {}

    void abandon(const std::string& why) override { moved_.abandon(why); }

protected:
    [[nodiscard]] Moved& moved() noexcept { return moved_; }
    [[nodiscard]] const Moved& moved() const noexcept { return moved_; }

private:
    template <class Make>
    static Moved made(const std::vector<transport::Field>& fields, const Make& make) {
        const nanobind::gil_scoped_release released;
        return make(fields);
    }
    void start_moving() override { moved_.start(); }
    bool is_over() override { return moved_.test(); }
    bool wait_in_slice(double seconds) override { return moved_.wait_for(seconds); }

    Moved moved_;
};

class BoundExchange final : public BoundTo<exchange::Exchange> {
public:
    using BoundTo::BoundTo;
    void run() override {
        if (!moved().is_under_way()) {
            start();
        }
        wait();
    }
    [[nodiscard]] std::string explain() const override { return moved().explain(); }
};

/// Throws std::invalid_argument for an operation that there is not.
[[nodiscard]] exchange::Options options_named(const std::string& operation, std::string transport,
                                              std::optional<std::int64_t> push_below_bytes,
                                              std::int64_t longest_message_bytes);

}  // namespace transrank::bindings
