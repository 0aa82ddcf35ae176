// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

/// One function per bound folder of cpp/transrank, and one for agreement; each in the file of that
/// name. At last `explain_misfits` makes calls whose arguments do not fit say so in Python's words.
namespace transrank::bindings {

void bind_agreement(nanobind::module_& module);
void bind_array(nanobind::module_& module);
void bind_collective(nanobind::module_& module);
void bind_discovery(nanobind::module_& module);
void bind_exchange(nanobind::module_& module);
void bind_layout(const nanobind::module_& module);
void bind_memory(nanobind::module_& module);
void bind_mpi(nanobind::module_& module);
void bind_redistribution(nanobind::module_& module);
void bind_route(nanobind::module_& module);
void explain_misfits(const nanobind::module_& module);

}  // namespace transrank::bindings
