// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agreement.hpp"
#include "bound_arrays.hpp"
#include "transrank/exchange/exchange.hpp"
#include "transrank/exchange/known_communicator.hpp"

namespace transrank::bindings {

/// An exchange bound to arrays of Python, which it keeps alive.
class Bound {
public:
    /// `make` makes the exchange for the fields of the arrays, collectively and without the
    /// interpreter.
    /// `mpi_uses_arrays`: also those of a start that is dropped under way.
    template <class Make>
    Bound(int rank, const char* noun, BoundArrays arrays, const Make& make,
          std::vector<copy::Field> form = {}, bool mpi_uses_arrays = false)
        : rank_(rank),
          noun_(noun),
          form_(std::move(form)),
          mpi_uses_arrays_(mpi_uses_arrays),
          arrays_(std::move(arrays)),
          exchange_(released([&] { return make(arrays_.fields()); })) {}
    Bound(const Bound&) = delete;
    Bound& operator=(const Bound&) = delete;
    virtual ~Bound() = default;

    void start() {
        check_in_place();
        released([&] { exchange_.start(); });
    }
    /// With these pairs of arrays, which are kept until the exchange is over.
    void start_with(const nanobind::object& pairs) {
        take(pairs);
        released([&] { exchange_.start_with(form_); });
        given_ = pairs;
    }
    /// start_with, and wait.
    void run_with(const nanobind::object& pairs) {
        if (!exchange_.runs_in_mpi()) {
            start_with(pairs);
            wait();
            return;
        }
        take(pairs);
        released([&] { exchange_.run_with(form_); });
    }
    [[nodiscard]] bool test() {
        return let_go_if(released([&] { return exchange_.test(); }));
    }
    /// Lets signal handlers run now and then: an exception of theirs (KeyboardInterrupt) leaves
    /// the exchange under way, and it can be waited for again. Returns whether it was over in time.
    [[nodiscard]] bool wait_for(double seconds) {
        const auto is_over = [&] {
            return exchange_.wait_for(std::min(seconds, seconds_between_signals));
        };
        while (!released(is_over)) {
            if (PyErr_CheckSignals() != 0) {
                throw nanobind::python_error();
            }
            seconds -= seconds_between_signals;
            if (seconds <= 0) {
                return false;
            }
        }
        return let_go_if(true);
    }
    void wait() { (void)wait_for(std::numeric_limits<double>::infinity()); }
    void run() {
        if (exchange_.is_under_way()) {
            wait();
        } else if (exchange_.runs_in_mpi()) {
            check_in_place();
            released([&] { exchange_.run(); });
        } else {
            start();
            wait();
        }
    }
    void abandon(std::string_view why) { exchange_.abandon(std::string(why)); }
    [[nodiscard]] std::string explain() const { return exchange_.explain(); }
    [[nodiscard]] bool is_under_way() const { return exchange_.is_under_way(); }
    /// The arrays that a start was given, until it is over; None where it moves those bound first.
    [[nodiscard]] nanobind::object given() const {
        return given_.is_valid() ? given_ : nanobind::none();
    }

private:
    static constexpr double seconds_between_signals = 0.2;

    void take(const nanobind::object& pairs) {
        check_in_place();
        move_to(form_, pairs, mpi_uses_arrays_);
    }

    void check_in_place() {
        if (const auto what = arrays_.moved_away()) {
            exchange_.abandon(*what + ", on rank " + std::to_string(rank_) + "; the " + noun_ +
                              " is broken, bind a new one");
        }
    }

    bool let_go_if(bool is_over) {
        if (is_over) {
            given_ = nanobind::object();
        }
        return is_over;
    }

    int rank_;
    const char* noun_;
    std::vector<copy::Field> form_;  ///< of the arrays of a start
    bool mpi_uses_arrays_;
    BoundArrays arrays_;
    nanobind::object given_;  ///< to the last start; before exchange_, which uses them
    exchange::Exchange exchange_;
};

class BoundExchange final : public Bound {
public:
    using Bound::Bound;
};

/// What one rank binds.
struct Asked {
    BoundArrays arrays;
    exchange::Parts parts;
    exchange::Options options;
    std::vector<copy::Field> form = {};  ///< of the arrays that a start may be given
};

/// Of a tuple of operation, transport, push_below_bytes and longest_message_bytes.
[[nodiscard]] exchange::Options options_of(nanobind::handle given);

/// Collective. A new BoundExchange of what `take` makes of the result of `work`, see Outcome: the
/// ranks agree once on what Python and the library find wrong. `call` names what the user calls.
[[nodiscard]] Attempt bind_agreed(const std::shared_ptr<exchange::KnownCommunicator>& known,
                                  MPI_Comm comm, const char* call, const nanobind::callable& work,
                                  const std::function<Asked(nanobind::handle)>& take);

}  // namespace transrank::bindings
