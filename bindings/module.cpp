// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/nanobind.h>

#include "bindings.hpp"

NB_MODULE(_core, module) {
    transrank::bindings::bind_mpi(module);
    transrank::bindings::bind_agreement(module);
    transrank::bindings::bind_memory(module);
    transrank::bindings::bind_layout(module);
    transrank::bindings::bind_route(module);
    transrank::bindings::bind_discovery(module);
    transrank::bindings::bind_exchange(module);
    transrank::bindings::bind_array(module);
    transrank::bindings::bind_redistribution(module);
    transrank::bindings::bind_collective(module);
    transrank::bindings::explain_misfits(module);
}
