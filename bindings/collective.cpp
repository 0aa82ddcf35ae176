// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agreement.hpp"
#include "bindings.hpp"
#include "bound.hpp"
#include "communicator_caster.hpp"
#include "sequences.hpp"
#include "transrank/collective/alltoall.hpp"
#include "transrank/collective/method.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace transrank::bindings {
namespace {

using collective::Alltoall;

// Arrays that each start is given anew are not kept for the first.
class BoundAlltoall final : public Bound {
public:
    BoundAlltoall(CommunicatorArgument comm, const BoundArrays& arrays, std::int64_t block_bytes,
                  const collective::AlltoallOptions& options, std::string_view algorithm = {})
        : Bound(
              comm.rank(), "alltoall", options.any_memory ? BoundArrays() : arrays,
              [&](const auto&) {
                  const auto& field = arrays.fields().front();
                  Alltoall bound(comm.handle, field.source, field.destination, block_bytes, options,
                                 field.keep_alive);
                  algorithm = bound.algorithm();
                  return bound;
              },
              form_of(arrays.fields()), true),
          algorithm_(algorithm) {}

    [[nodiscard]] std::string_view algorithm() const { return algorithm_; }

private:
    std::string_view algorithm_;
};

std::vector<std::pair<std::string, std::string>> algorithms() {
    std::vector<std::pair<std::string, std::string>> rows;
    for (const auto& method : collective::methods()) {
        rows.emplace_back(method.name, method.summary);
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
               const nb::object& receive, std::int64_t block_bytes, std::string_view algorithm,
               std::string_view choices, int radix, int window, int leaders, int ranks_per_node,
               nb::handle torus, bool any_memory) {
                attempted(comm, [&] {
                    const collective::AlltoallOptions options{.algorithm = std::string(algorithm),
                                                              .choices = std::string(choices),
                                                              .radix = radix,
                                                              .window = window,
                                                              .leaders = leaders,
                                                              .ranks_per_node = ranks_per_node,
                                                              .torus = each<int>(torus),
                                                              .any_memory = any_memory};
                    new (self)
                        BoundAlltoall(comm, BoundArrays(send, receive), block_bytes, options);
                });
            },
            "comm"_a, "send"_a, "receive"_a, "block_bytes"_a, "algorithm"_a, "choices"_a, "radix"_a,
            "window"_a, "leaders"_a, "ranks_per_node"_a, "torus"_a, "any_memory"_a)
        .def_prop_ro("algorithm", &BoundAlltoall::algorithm);
}

}  // namespace transrank::bindings
