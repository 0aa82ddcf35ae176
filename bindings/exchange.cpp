// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/exchange.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "bound_arrays.hpp"
#include "communicator_caster.hpp"
#include "named.hpp"
#include "transrank/transport/transport.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace transrank::bindings {
namespace {

using exchange::Exchange;
using transport::Operation;

constexpr std::array<std::pair<std::string_view, Operation>, 4> operations{
    {{"assign", Operation::assign},
     {"add", Operation::add},
     {"min", Operation::min},
     {"max", Operation::max}}};

/// An exchange and the arrays that it moves, which it keeps alive.
class BoundExchange {
public:
    BoundExchange(route::Route route, CommunicatorArgument comm,
                  const std::vector<FieldTuple>& fields, const exchange::Options& options)
        : rank_(route.rank()), arrays_(fields), exchange_(bind(std::move(route), comm, options)) {}

    void start() {
        check_in_place();
        const nb::gil_scoped_release released;
        exchange_.start();
    }

    bool test() {
        const nb::gil_scoped_release released;
        return exchange_.test();
    }

    void wait() { (void)wait_for(std::numeric_limits<double>::infinity()); }

    /// Lets signal handlers run now and then: an exception of theirs (KeyboardInterrupt) leaves the
    /// exchange under way, and it can be waited for again.
    bool wait_for(double seconds) {
        constexpr double between_signals = 0.2;
        while (!is_over_in(std::min(seconds, between_signals))) {
            if (PyErr_CheckSignals() != 0) {
                throw nb::python_error();
            }
            seconds -= between_signals;
            if (!(seconds > 0)) {
                return false;
            }
        }
        return true;
    }

    void run() {
        if (!exchange_.is_under_way()) {
            start();
        }
        wait();
    }

    void abandon(const std::string& why) { exchange_.abandon(why); }

    [[nodiscard]] std::string explain() const { return exchange_.explain(); }

private:
    [[nodiscard]] Exchange bind(route::Route route, CommunicatorArgument comm,
                                const exchange::Options& options) const {
        const nb::gil_scoped_release released;
        return {std::move(route), comm.handle, arrays_.fields(), options};
    }

    [[nodiscard]] bool is_over_in(double seconds) {
        const nb::gil_scoped_release released;
        return exchange_.wait_for(seconds);
    }

    void check_in_place() {
        if (const auto what = arrays_.moved_away()) {
            exchange_.abandon(*what + ", on rank " + std::to_string(rank_) +
                              "; the exchange is broken, bind a new one");
        }
    }

    int rank_;
    BoundArrays arrays_;
    Exchange exchange_;
};

std::vector<std::pair<std::string, std::string>> transports() {
    std::vector<std::pair<std::string, std::string>> rows;
    for (const auto& entry : transport::all()) {
        rows.emplace_back(entry.name, entry.summary);
    }
    return rows;
}

void bind_errors(nb::module_& module) {
    [[maybe_unused]] const nb::exception<mpi::Misuse> misuse(module, "Misuse", PyExc_RuntimeError);
    [[maybe_unused]] const nb::exception<transport::BrokenExchange> broken(module, "BrokenExchange",
                                                                           PyExc_RuntimeError);
}

}  // namespace

void bind_exchange(nb::module_& module) {
    bind_errors(module);
    module.def("transports", &transports, "Name and summary of each transport.");
    nb::class_<BoundExchange>(module, "Exchange", "A route bound to arrays and transports.")
        .def(
            "__init__",
            [](BoundExchange* self, route::Route route, CommunicatorArgument comm,
               const std::vector<FieldTuple>& fields, const std::string& operation,
               std::string transport, std::optional<std::int64_t> push_below_bytes,
               std::int64_t longest_message_bytes) {
                new (self) BoundExchange(std::move(route), comm, fields,
                                         {.operation = named(operations, operation, "operation"),
                                          .transport = std::move(transport),
                                          .push_below_bytes = push_below_bytes,
                                          .longest_message_bytes = longest_message_bytes});
            },
            "route"_a, "comm"_a, "fields"_a, "operation"_a, "transport"_a,
            "push_below_bytes"_a = nb::none(),
            "longest_message_bytes"_a = exchange::Options{}.longest_message_bytes)
        .def("start", &BoundExchange::start)
        .def("test", &BoundExchange::test)
        .def("wait", &BoundExchange::wait)
        .def("wait_for", &BoundExchange::wait_for, "seconds"_a)
        .def("run", &BoundExchange::run)
        .def("abandon", &BoundExchange::abandon, "why"_a)
        .def("explain", &BoundExchange::explain);
}

}  // namespace transrank::bindings
