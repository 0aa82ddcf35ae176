// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <system_error>

#include "bindings.hpp"
#include "transrank/memory/array_memory.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace transrank::bindings {
namespace {

using SharedBytes = nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>;

/// The memory lives as long as the last view of the array; freeing it calls neither Python nor MPI.
SharedBytes shared_bytes(std::size_t bytes) {
    std::unique_ptr<memory::ArrayMemory> made;
    try {
        made = std::make_unique<memory::ArrayMemory>(bytes);
    } catch (const std::system_error& error) {
        PyErr_SetString(PyExc_MemoryError, error.what());
        throw nb::python_error();
    }
    auto* const kept = made.release();
    const nb::capsule owner(
        kept, [](void* pointer) noexcept { delete static_cast<memory::ArrayMemory*>(pointer); });
    return {kept->bytes().data(), {bytes}, owner};
}

}  // namespace

void bind_memory(nb::module_& module) {
    module.def(
        "shared_bytes", &shared_bytes, "size"_a,
        "Zeroed memory that other processes of this node can map, where there is any such. Not "
        "collective.");
}

}  // namespace transrank::bindings
