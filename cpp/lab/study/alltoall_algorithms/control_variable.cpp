// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/alltoall_algorithms/control_variable.hpp"

#include <utility>

#include "transrank/mpi/error.hpp"

namespace transrank::lab::study::alltoall_algorithms {

std::optional<ControlVariable> ControlVariable::find(const std::string& name) {
    ControlVariable found;
    int level = MPI_THREAD_SINGLE;
    mpi::check(MPI_T_init_thread(MPI_THREAD_SINGLE, &level), "MPI_T_init_thread");
    found.initialised_ = true;
    int index = 0;
    if (MPI_T_cvar_get_index(name.c_str(), &index) != MPI_SUCCESS) {
        return std::nullopt;
    }
    MPI_Datatype type = MPI_DATATYPE_NULL;
    int verbosity = 0;
    int binding = 0;
    int scope = 0;
    int name_length = 0;
    int description_length = 0;
    mpi::check(MPI_T_cvar_get_info(index, nullptr, &name_length, &verbosity, &type, nullptr,
                                   nullptr, &description_length, &binding, &scope),
               "MPI_T_cvar_get_info");
    int count = 0;
    if (type != MPI_INT || binding != MPI_T_BIND_NO_OBJECT) {
        return std::nullopt;
    }
    mpi::check(MPI_T_cvar_handle_alloc(index, nullptr, &found.handle_, &count),
               "MPI_T_cvar_handle_alloc");
    return found;
}

ControlVariable::ControlVariable(ControlVariable&& other) noexcept
    : initialised_(std::exchange(other.initialised_, false)),
      handle_(std::exchange(other.handle_, MPI_T_CVAR_HANDLE_NULL)) {}

ControlVariable::~ControlVariable() {
    if (handle_ != MPI_T_CVAR_HANDLE_NULL) {
        MPI_T_cvar_handle_free(&handle_);
    }
    if (initialised_) {
        MPI_T_finalize();
    }
}

int ControlVariable::value() const {
    int value = 0;
    mpi::check(MPI_T_cvar_read(handle_, &value), "MPI_T_cvar_read");
    return value;
}

void ControlVariable::set(int value) {
    mpi::check(MPI_T_cvar_write(handle_, &value), "MPI_T_cvar_write");
}

}  // namespace transrank::lab::study::alltoall_algorithms
