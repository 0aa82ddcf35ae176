// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/exchange.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "communicator_caster.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/transport/transport.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace transrank::bindings {
namespace {

using exchange::Exchange;
using transport::Operation;
using transport::Scalar;

// source, destination, bytes of a unit, name of its scalar
using FieldTuple = std::tuple<nb::object, nb::object, std::int64_t, std::string>;

constexpr std::array<std::pair<std::string_view, Operation>, 4> operations{
    {{"assign", Operation::assign},
     {"add", Operation::add},
     {"min", Operation::min},
     {"max", Operation::max}}};
constexpr std::array<std::pair<std::string_view, Scalar>, 11> scalars{
    {{"opaque", Scalar::opaque},
     {"int8", Scalar::int8},
     {"int16", Scalar::int16},
     {"int32", Scalar::int32},
     {"int64", Scalar::int64},
     {"uint8", Scalar::uint8},
     {"uint16", Scalar::uint16},
     {"uint32", Scalar::uint32},
     {"uint64", Scalar::uint64},
     {"float32", Scalar::float32},
     {"float64", Scalar::float64}}};

template <class Table>
auto named(const Table& table, const std::string& name, const char* what) {
    for (const auto& [known, value] : table) {
        if (known == name) {
            return value;
        }
    }
    layout::refuse("unknown ", what, " '", name, "'");
}

/// Where the bytes of an array lie now. Throws Python's BufferError when it is not contiguous, or
/// must be writeable and is not.
std::span<std::byte> bytes_of(const nb::object& array, bool writeable) {
    Py_buffer view;
    if (PyObject_GetBuffer(array.ptr(), &view, writeable ? PyBUF_WRITABLE : PyBUF_SIMPLE) != 0) {
        throw nb::python_error();
    }
    const std::span<std::byte> bytes(static_cast<std::byte*>(view.buf),
                                     static_cast<std::size_t>(view.len));
    PyBuffer_Release(&view);
    return bytes;
}

/// An exchange and the arrays that it moves, which it keeps alive.
class BoundExchange {
public:
    BoundExchange(route::Route route, CommunicatorArgument comm,
                  const std::vector<FieldTuple>& fields, const exchange::Options& options)
        : rank_(route.rank()),
          arrays_(keep(fields)),
          exchange_(bind(std::move(route), comm, fields, options)) {}

    void start() {
        check_in_place();
        const nb::gil_scoped_release released;
        exchange_.start();
    }

    bool test() {
        const nb::gil_scoped_release released;
        return exchange_.test();
    }

    /// Lets signal handlers run now and then: an exception of theirs (KeyboardInterrupt) leaves the
    /// exchange under way, and it can be waited for again.
    void wait() {
        while (!is_over_in_time()) {
            if (PyErr_CheckSignals() != 0) {
                throw nb::python_error();
            }
        }
    }

    [[nodiscard]] std::string explain() const { return exchange_.explain(); }

private:
    static constexpr double seconds_between_signals = 0.2;

    struct Array {
        nb::object object;
        bool writeable;
        std::span<std::byte> bytes;
    };

    static std::vector<Array> keep(const std::vector<FieldTuple>& fields) {
        std::vector<Array> arrays;
        for (const auto& [source, destination, unit_bytes, scalar] : fields) {
            arrays.push_back(
                {.object = source, .writeable = false, .bytes = bytes_of(source, false)});
            arrays.push_back(
                {.object = destination, .writeable = true, .bytes = bytes_of(destination, true)});
        }
        return arrays;
    }

    [[nodiscard]] Exchange bind(route::Route route, CommunicatorArgument comm,
                                const std::vector<FieldTuple>& tuples,
                                const exchange::Options& options) const {
        std::vector<transport::Field> fields;
        for (std::size_t i = 0; i < tuples.size(); ++i) {
            const auto source = arrays_[2 * i].bytes;
            const auto destination = arrays_[(2 * i) + 1].bytes;
            fields.push_back({.source = source.data(),
                              .source_bytes = static_cast<std::int64_t>(source.size()),
                              .destination = destination.data(),
                              .destination_bytes = static_cast<std::int64_t>(destination.size()),
                              .unit_bytes = std::get<2>(tuples[i]),
                              .scalar = named(scalars, std::get<3>(tuples[i]), "scalar")});
        }
        const nb::gil_scoped_release released;
        return {std::move(route), comm.handle, std::move(fields), options};
    }

    [[nodiscard]] bool is_over_in_time() {
        const nb::gil_scoped_release released;
        return exchange_.wait_for(seconds_between_signals);
    }

    [[nodiscard]] static bool is_in_place(const Array& array) {
        try {
            const auto now = bytes_of(array.object, array.writeable);
            return now.data() == array.bytes.data() && now.size() == array.bytes.size();
        } catch (nb::python_error&) {
            return false;
        }
    }

    void check_in_place() {
        for (std::size_t i = 0; i < arrays_.size(); ++i) {
            if (!is_in_place(arrays_[i])) {
                const std::string side = i % 2 == 0 ? "source" : "destination";
                exchange_.abandon("the " + side + " of field " + std::to_string(i / 2) +
                                  " was resized or made read-only after it was bound, on rank " +
                                  std::to_string(rank_) +
                                  "; the exchange is broken, bind a new one");
            }
        }
    }

    int rank_;
    std::vector<Array> arrays_;
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
    [[maybe_unused]] const nb::exception<mpi::AgreedError> agreed(module, "AgreedError",
                                                                  PyExc_ValueError);
    [[maybe_unused]] const nb::exception<exchange::Misuse> misuse(module, "Misuse",
                                                                  PyExc_RuntimeError);
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
        .def("explain", &BoundExchange::explain);
}

}  // namespace transrank::bindings
