// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/exchange.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string_view>
#include <utility>

#include "agreement.hpp"
#include "bindings.hpp"
#include "bound.hpp"
#include "communicator_caster.hpp"
#include "named.hpp"
#include "sequences.hpp"
#include "transrank/transport/transport.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace transrank::bindings {
namespace {

using copy::Operation;

std::vector<std::pair<std::string, std::string>> transports() {
    std::vector<std::pair<std::string, std::string>> rows;
    for (const auto& entry : transport::all()) {
        rows.emplace_back(entry.name, entry.summary);
    }
    return rows;
}

// Of several sets of `fields`. Arrays that each start is given anew are not kept for the first.
void take_fields(Asked& asked, std::size_t fields) {
    auto all = asked.arrays.fields();
    if (asked.options.any_memory) {
        asked.arrays = {};
    }
    asked.form = form_of(std::span(all).first(fields));
    for (std::size_t i = 0; i < all.size(); ++i) {
        auto& sets = asked.parts.others;
        if (i >= fields && i % fields == 0) {
            sets.emplace_back();
        }
        (i < fields ? asked.parts.fields : sets.back()).push_back(std::move(all[i]));
    }
}

void bind_errors(nb::module_& module) {
    [[maybe_unused]] const nb::exception<mpi::Misuse> misuse(module, "Misuse", PyExc_RuntimeError);
    [[maybe_unused]] const nb::exception<transport::BrokenExchange> broken(module, "BrokenExchange",
                                                                           PyExc_RuntimeError);
}

void bind_bound(nb::module_& module) {
    nb::class_<Bound>(module, "Bound", "What is bound to arrays, to be moved again and again.")
        .def("start", &Bound::start)
        .def("start_with", &Bound::start_with, "arrays"_a)
        .def("run_with", &Bound::run_with, "arrays"_a)
        .def_prop_ro("is_under_way", &Bound::is_under_way)
        .def_prop_ro("given", &Bound::given)
        .def("test", &Bound::test)
        .def("wait", &Bound::wait)
        .def("wait_for", &Bound::wait_for, "seconds"_a)
        .def("run", &Bound::run)
        .def("abandon", &Bound::abandon, "why"_a)
        .def("explain", &Bound::explain);
}

}  // namespace

exchange::Options options_of(nb::handle given) {
    using Given = std::tuple<std::string_view, std::string, std::optional<std::int64_t>,
                             std::int64_t, bool, bool>;
    auto [operation, transport, push_below_bytes, longest_message_bytes, any_memory, together] =
        nb::cast<Given>(given);
    return {.operation = named<Operation>(copy::operations, operation, "operation"),
            .transport = std::move(transport),
            .push_below_bytes = push_below_bytes,
            .longest_message_bytes = longest_message_bytes,
            .any_memory = any_memory,
            .together = together};
}

Attempt bind_agreed(const std::shared_ptr<exchange::KnownCommunicator>& known, MPI_Comm comm,
                    const char* call, const nb::callable& work,
                    const std::function<Asked(nb::handle)>& take) {
    Asked asked;
    const auto ask = [&](nb::handle result) { asked = take(result); };
    Outcome own(work, known->rank(), std::cref(ask));
    asked.parts.words = std::move(own.said);
    const auto parts = [&] {
        own.require();
        return std::move(asked.parts);
    };
    return own.settled([&] {
        const mpi::Call named(known->base(), call);
        return known->attempt([&] {
            return nb::cast(
                new BoundExchange(
                    known->rank(), "exchange", std::move(asked.arrays),
                    [&](const auto&) { return exchange::Exchange(comm, parts, asked.options); },
                    std::move(asked.form)),
                nb::rv_policy::take_ownership);
        });
    });
}

void bind_exchange(nb::module_& module) {
    bind_errors(module);
    bind_bound(module);
    module.def("transports", &transports, "Name and summary of each transport.");
    nb::class_<BoundExchange, Bound>(module, "Exchange", "A route bound to arrays and transports.");
    module.def(
        "bind_exchange",
        [](CommunicatorArgument comm, const char* call, const nb::callable& work) {
            const auto take = [&](nb::handle checked) {
                Asked asked{.arrays = BoundArrays(each<FieldTuple>(checked[0])),
                            .parts = {.route = std::make_shared<const route::Route>(
                                          nb::cast<const route::Route&>(checked[2])),
                                      .fields = {}},
                            .options = options_of(checked[1])};
                take_fields(asked, nb::cast<std::size_t>(checked[3]));
                return asked;
            };
            return bind_agreed(known(comm), comm.handle, call, work, std::cref(take));
        },
        "comm"_a, "call"_a, "work"_a);
}

}  // namespace transrank::bindings
