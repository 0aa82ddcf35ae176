// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "bound_arrays.hpp"
#include "communicator_caster.hpp"
#include "transrank/collective/alltoall.hpp"
#include "transrank/collective/way.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace transrank::bindings {
namespace {

using collective::Alltoall;

/// An alltoall and the arrays that it moves, which it keeps alive.
class BoundAlltoall {
public:
    BoundAlltoall(CommunicatorArgument comm, const nb::object& send, const nb::object& receive,
                  std::int64_t block_bytes, const collective::AlltoallOptions& options)
        : rank_(comm.rank()), arrays_(send, receive), bound_(bind(comm, block_bytes, options)) {}

    void start() {
        check_in_place();
        const nb::gil_scoped_release released;
        bound_.start();
    }
    bool test() {
        const nb::gil_scoped_release released;
        return bound_.test();
    }
    /// Lets signal handlers run now and then: an exception of theirs (KeyboardInterrupt) leaves the
    /// alltoall under way, and it can be waited for again.
    void wait() {
        while (!is_over_in_time()) {
            if (PyErr_CheckSignals() != 0) {
                throw nb::python_error();
            }
        }
    }
    /// A blocking call of MPI's own is left to MPI.
    void run() {
        if (bound_.algorithm() == collective::mpi_name) {
            check_in_place();
            const nb::gil_scoped_release released;
            bound_.run();
        } else {
            start();
            wait();
        }
    }
    [[nodiscard]] std::string algorithm() const { return std::string(bound_.algorithm()); }

private:
    static constexpr double seconds_between_signals = 0.2;

    [[nodiscard]] bool is_over_in_time() {
        const nb::gil_scoped_release released;
        return bound_.wait_for(seconds_between_signals);
    }

    void check_in_place() {
        if (const auto what = arrays_.moved_away()) {
            bound_.abandon(*what + ", on rank " + std::to_string(rank_) +
                           "; the alltoall is broken, bind a new one");
        }
    }

    [[nodiscard]] Alltoall bind(CommunicatorArgument comm, std::int64_t block_bytes,
                                const collective::AlltoallOptions& options) const {
        const auto& field = arrays_.fields().front();
        const nb::gil_scoped_release released;
        return {comm.handle, field.source, field.destination,
                block_bytes, options,      field.keep_alive};
    }

    int rank_;
    BoundArrays arrays_;
    Alltoall bound_;
};

std::vector<std::pair<std::string, std::string>> algorithms() {
    std::vector<std::pair<std::string, std::string>> rows;
    for (const auto& way : collective::ways()) {
        rows.emplace_back(way.name, way.summary);
    }
    return rows;
}

}  // namespace

void bind_collective(nb::module_& module) {
    module.def("alltoall_algorithms", &algorithms, "Name and summary of each algorithm.");
    nb::class_<BoundAlltoall>(module, "Alltoall", "An alltoall bound to its arrays.")
        .def(
            "__init__",
            [](BoundAlltoall* self, CommunicatorArgument comm, const nb::object& send,
               const nb::object& receive, std::int64_t block_bytes, std::string algorithm,
               std::string choices, int radix, int window, int leaders, int ranks_per_node,
               std::vector<int> torus) {
                new (self) BoundAlltoall(comm, send, receive, block_bytes,
                                         {.algorithm = std::move(algorithm),
                                          .choices = std::move(choices),
                                          .radix = radix,
                                          .window = window,
                                          .leaders = leaders,
                                          .ranks_per_node = ranks_per_node,
                                          .torus = std::move(torus)});
            },
            "comm"_a, "send"_a, "receive"_a, "block_bytes"_a, "algorithm"_a, "choices"_a, "radix"_a,
            "window"_a, "leaders"_a, "ranks_per_node"_a, "torus"_a)
        .def("start", &BoundAlltoall::start)
        .def("test", &BoundAlltoall::test)
        .def("wait", &BoundAlltoall::wait)
        .def("run", &BoundAlltoall::run)
        .def_prop_ro("algorithm", &BoundAlltoall::algorithm);
}

}  // namespace transrank::bindings
