// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/exchange.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agreement.hpp"
#include "bindings.hpp"
#include "bound.hpp"
#include "communicator_caster.hpp"
#include "named.hpp"
#include "transrank/transport/transport.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace transrank::bindings {
namespace {

using copy::Operation;

constexpr std::array<std::pair<std::string_view, Operation>, 4> operations{
    {{"assign", Operation::assign},
     {"add", Operation::add},
     {"min", Operation::min},
     {"max", Operation::max}}};

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

void bind_bound(nb::module_& module) {
    nb::class_<Bound>(module, "Bound", "What is bound to arrays, to be moved again and again.")
        .def("start", &Bound::start)
        .def("test", &Bound::test)
        .def("wait", &Bound::wait)
        .def("wait_for", &Bound::wait_for, "seconds"_a)
        .def("run", &Bound::run)
        .def("abandon", &Bound::abandon, "why"_a)
        .def("explain", &Bound::explain);
}

}  // namespace

exchange::Options options_named(std::string_view operation, std::string_view transport,
                                std::optional<std::int64_t> push_below_bytes,
                                std::int64_t longest_message_bytes) {
    return {.operation = named(operations, operation, "operation"),
            .transport = std::string(transport),
            .push_below_bytes = push_below_bytes,
            .longest_message_bytes = longest_message_bytes};
}

void bind_exchange(nb::module_& module) {
    bind_errors(module);
    bind_bound(module);
    module.def("transports", &transports, "Name and summary of each transport.");
    nb::class_<BoundExchange, Bound>(module, "Exchange", "A route bound to arrays and transports.")
        .def(
            "__init__",
            [](BoundExchange* self, const route::Route& route, CommunicatorArgument comm,
               const nb::list& fields, std::string_view operation, std::string_view transport,
               std::optional<std::int64_t> push_below_bytes, std::int64_t longest_message_bytes) {
                attempted(comm, [&] {
                    std::vector<FieldTuple> arrays;
                    for (const nb::handle field : fields) {
                        arrays.push_back(nb::cast<FieldTuple>(field));
                    }
                    const auto options = options_named(operation, transport, push_below_bytes,
                                                       longest_message_bytes);
                    new (self) BoundExchange(
                        route.rank(), "exchange", BoundArrays(arrays), [&](const auto& bound) {
                            return exchange::Exchange(route, comm.handle, bound, options);
                        });
                });
            },
            "route"_a, "comm"_a, "fields"_a, "operation"_a, "transport"_a,
            "push_below_bytes"_a = nb::none(),
            "longest_message_bytes"_a = exchange::Options{}.longest_message_bytes);
}

}  // namespace transrank::bindings
