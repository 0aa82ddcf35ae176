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
#include "bound.hpp"
#include "communicator_caster.hpp"
#include "transrank/collective/alltoall.hpp"
#include "transrank/collective/way.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace transrank::bindings {
namespace {

using collective::Alltoall;

class BoundAlltoall final : public BoundTo<Alltoall> {
public:
    BoundAlltoall(CommunicatorArgument comm, const nb::object& send, const nb::object& receive,
                  std::int64_t block_bytes, const collective::AlltoallOptions& options)
        : BoundTo(comm.rank(), "alltoall", {send, receive},
                  [&](const std::vector<transport::Field>& fields) -> Alltoall {
                      const auto& field = fields.front();
                      return {comm.handle, field.source, field.destination,
                              block_bytes, options,      field.keep_alive};
                  }) {}

    /// A blocking call of MPI's own is left to MPI.
    void run() override {
        if (moved().algorithm() != collective::mpi_name) {
            return Bound::run();
        }
        check_in_place();
        const nb::gil_scoped_release released;
        moved().run();
    }
    [[nodiscard]] std::string explain() const override { return "alltoall by " + algorithm(); }
    [[nodiscard]] std::string algorithm() const { return std::string(moved().algorithm()); }
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
    nb::class_<BoundAlltoall, Bound>(module, "Alltoall", "An alltoall bound to its arrays.")
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
        .def_prop_ro("algorithm", &BoundAlltoall::algorithm);
}

}  // namespace transrank::bindings
