// SPDX-License-Identifier: BSD-3-Clause
// The library that is loaded before a program's own ones: wrappers that lead to the carrier where
// that can be loaded, and else to MPI. It is linked with no MPI, since it gets into every process,
// and a program such as Python loads its MPI late and for itself alone.
#include <mpi.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <tuple>
#include <type_traits>

#include "call.hpp"

namespace {

using namespace transrank::carry;

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

int nothing_found() {
    return MPI_ERR_OTHER;
}

// MPI's own function, by the name of its profiling interface.
template <class Wanted>
Wanted* of_mpi(const char* name) {
    void* const found = mpi() == nullptr ? nullptr : dlsym(mpi(), name);
    return reinterpret_cast<Wanted*>(found == nullptr ? reinterpret_cast<void*>(&nothing_found)
                                                      : found);
}

// Whether the MPI of this process is the one that the carrier would load.
bool is_that_of_the_carrier() {
    if (mpi() == nullptr || std::strlen(TRANSRANK_LIBMPI) == 0) {
        return mpi() != nullptr;
    }
    void* const theirs = dlopen(TRANSRANK_LIBMPI, RTLD_LAZY | RTLD_NOLOAD);
    return theirs != nullptr && dlsym(theirs, "PMPI_Alltoall") == dlsym(mpi(), "PMPI_Alltoall");
}

// By its path: where dlopen is another library's (a sanitizer's), $ORIGIN is that one's, too.
void* load_carrier() {
    Dl_info own{};
    if (!is_that_of_the_carrier() || dladdr(reinterpret_cast<void*>(&load_carrier), &own) == 0) {
        return nullptr;
    }
    const char* const slash = std::strrchr(own.dli_fname, '/');
    const auto folder = slash == nullptr ? 0 : static_cast<int>(slash + 1 - own.dli_fname);
    constexpr std::size_t longest = 4096;
    char path[longest];
    std::snprintf(path, longest, "%.*s%s", folder, own.dli_fname, "libtransrank_carrier.so");
    return dlopen(path, RTLD_LAZY | RTLD_LOCAL);
}

// The carrier's function of that name; nullptr where it cannot be loaded.
template <class Wanted>
Wanted* of_carrier(const char* name) {
    void* const carrier = load_carrier();
    return carrier == nullptr ? nullptr : reinterpret_cast<Wanted*>(dlsym(carrier, name));
}

// What the wrappers tell, of MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw.
template <class Count>
Call call_of(const void* send, const Count& send_count, const MPI_Datatype& send_type,
             void* receive, const Count& receive_count, const MPI_Datatype& receive_type,
             MPI_Comm comm) {
    const Side sends{send, &send_count, nullptr, &send_type};
    const Side receives{receive, &receive_count, nullptr, &receive_type};
    return {Kind::alltoall, sizeof(Count) > sizeof(int), sends, receives, comm};
}
template <class Count, class Offset>
Call call_of(const void* send, const Count* send_counts, const Offset* send_offsets,
             const MPI_Datatype& send_type, void* receive, const Count* receive_counts,
             const Offset* receive_offsets, const MPI_Datatype& receive_type, MPI_Comm comm) {
    const Side sends{send, send_counts, send_offsets, &send_type};
    const Side receives{receive, receive_counts, receive_offsets, &receive_type};
    return {Kind::alltoallv, sizeof(Count) > sizeof(int), sends, receives, comm};
}
template <class Count, class Offset>
Call call_of(const void* send, const Count* send_counts, const Offset* send_offsets,
             const MPI_Datatype* send_types, void* receive, const Count* receive_counts,
             const Offset* receive_offsets, const MPI_Datatype* receive_types, MPI_Comm comm) {
    const Side sends{send, send_counts, send_offsets, send_types};
    const Side receives{receive, receive_counts, receive_offsets, receive_types};
    return {Kind::alltoallw, sizeof(Count) > sizeof(int), sends, receives, comm};
}

bool is_off = false;

template <auto Wrapper, class... Arguments>
int carry(const char* name, Arguments... arguments) {
    static decltype(Wrapper) by_mpi = nullptr;
    static decltype(&transrank_carry_call) carrier = nullptr;
    if (by_mpi == nullptr) {
        carrier = of_carrier<decltype(transrank_carry_call)>("transrank_carry_call");
        by_mpi = of_mpi<std::remove_pointer_t<decltype(Wrapper)>>(name);
    }
    const auto pass_on = [&] { return by_mpi(arguments...); };
    if (carrier == nullptr || is_off) {
        return pass_on();
    }
    return carrier(
        call_of(arguments...),
        [](const void* context) { return (*static_cast<decltype(&pass_on)>(context))(); },
        &pass_on);
}

template <std::size_t Number, class... Parameters>
std::tuple_element_t<Number, std::tuple<Parameters...>> parameter(int (*)(Parameters...));

}  // namespace

extern "C" {

// With the parameters that mpi.h declares.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define PARAMETER(name, number) decltype(parameter<number>(&name)) p##number
#define PARAMETERS7(name)                                                           \
    PARAMETER(name, 0), PARAMETER(name, 1), PARAMETER(name, 2), PARAMETER(name, 3), \
        PARAMETER(name, 4), PARAMETER(name, 5), PARAMETER(name, 6)
#define WRAPPER7(name)                                              \
    int name(PARAMETERS7(name)) {                                   \
        return carry<&name>("P" #name, p0, p1, p2, p3, p4, p5, p6); \
    }
#define WRAPPER9(name)                                                      \
    int name(PARAMETERS7(name), PARAMETER(name, 7), PARAMETER(name, 8)) {   \
        return carry<&name>("P" #name, p0, p1, p2, p3, p4, p5, p6, p7, p8); \
    }
// NOLINTEND(bugprone-macro-parentheses)

WRAPPER7(MPI_Alltoall)
WRAPPER9(MPI_Alltoallv)
WRAPPER9(MPI_Alltoallw)
#if MPI_VERSION >= 4
WRAPPER7(MPI_Alltoall_c)
WRAPPER9(MPI_Alltoallv_c)
WRAPPER9(MPI_Alltoallw_c)
#endif

// On all ranks alike: with 0, calls are MPI's from here on.
int MPI_Pcontrol(const int level, ...) {
    is_off = level == 0;
    return MPI_SUCCESS;
}

// Where nothing else has, this loads the carrier for its summary.
int MPI_Finalize() {
    if (std::getenv("TRANSRANK_CARRY_SUMMARY") != nullptr) {
        if (const auto print = of_carrier<void()>("transrank_carry_print_summary")) {
            print();
        }
    }
    return of_mpi<decltype(MPI_Finalize)>("PMPI_Finalize")();
}
}
