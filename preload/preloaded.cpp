// SPDX-License-Identifier: BSD-3-Clause
// The library that is loaded before a program's own ones: wrappers that lead to the carrier where
// that can be loaded, and else to MPI. It is linked with no MPI, since it gets into every process,
// and a program such as Python loads its MPI late and for itself alone.
#include <mpi.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>

namespace {

using Function = void (*)();

struct Found {
    Function function = nullptr;
};

int nothing_found() {
    return MPI_ERR_OTHER;
}

// Of some loaded object that has an MPI library among what it needs, or is one.
int find_in(dl_phdr_info* object, std::size_t /*bytes*/, void* wanted) {
    auto** const handle = static_cast<void**>(wanted);
    void* const opened = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (opened != nullptr && dlsym(opened, "PMPI_Alltoall") != nullptr) {
        *handle = opened;
        return 1;
    }
    if (opened != nullptr) {
        dlclose(opened);
    }
    return 0;
}

void* mpi() {
    static void* handle = nullptr;
    if (handle == nullptr) {
        dl_iterate_phdr(find_in, &handle);
    }
    return handle;
}

// Whether the MPI of this process is the one that the carrier would load.
bool is_that_of_the_carrier() {
    if (std::strlen(TRANSRANK_LIBMPI) == 0) {
        return true;
    }
    void* const theirs = dlopen(TRANSRANK_LIBMPI, RTLD_LAZY | RTLD_NOLOAD);
    return theirs != nullptr && dlsym(theirs, "PMPI_Alltoall") == dlsym(mpi(), "PMPI_Alltoall");
}

void* load_carrier() {
    constexpr auto name = "libtransrank_carrier.so";
    constexpr std::size_t longest = 4096;
    static char path[longest];
    Dl_info own{};
    if (mpi() == nullptr || !is_that_of_the_carrier() ||
        dladdr(reinterpret_cast<void*>(&load_carrier), &own) == 0 ||
        std::strlen(own.dli_fname) + std::strlen(name) >= longest) {
        return nullptr;
    }
    std::strcpy(path, own.dli_fname);
    char* const slash = std::strrchr(path, '/');
    std::strcpy(slash == nullptr ? path : slash + 1, name);
    return dlopen(path, RTLD_LAZY | RTLD_LOCAL);
}

// The function that serves in place of an MPI function, whose name begins with P.
Function look_up(Found& found, const char* name) {
    if (found.function != nullptr) {
        return found.function;
    }
    static void* const carrier = load_carrier();
    constexpr auto prefix = "transrank_carried_";
    char carried[64];
    std::strcpy(carried, prefix);
    std::strcat(carried, name + 1);
    void* function = carrier == nullptr ? nullptr : dlsym(carrier, carried);
    if (function == nullptr && mpi() != nullptr) {
        function = dlsym(mpi(), name);
    }
    found.function = function == nullptr ? reinterpret_cast<Function>(&nothing_found)
                                         : reinterpret_cast<Function>(function);
    return found.function;
}

}  // namespace

extern "C" {

// Where nothing else has, this loads the carrier for its summary.
int MPI_Finalize() {
    static Found found;
    static Found of_mpi;
    const bool summary = std::getenv("TRANSRANK_CARRY_SUMMARY") != nullptr;
    if (!summary && of_mpi.function == nullptr && mpi() != nullptr) {
        of_mpi.function = reinterpret_cast<Function>(dlsym(mpi(), "PMPI_Finalize"));
    }
    return reinterpret_cast<decltype(&MPI_Finalize)>(
        of_mpi.function != nullptr ? of_mpi.function : look_up(found, "PMPI_Finalize"))();
}

#include "wrappers.inc"
}
