// SPDX-License-Identifier: BSD-3-Clause
#include "settings.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "transrank/mpi/error.hpp"

namespace transrank::lab::runner {
namespace {

struct Variable {
    int index = 0;
    std::string name;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    int binding = 0;
};

// One of a part that was unloaded has a number and no name.
template <class Visit>
void for_each_variable(const Visit& visit) {
    int level = MPI_THREAD_SINGLE;
    mpi::check(MPI_T_init_thread(MPI_THREAD_SINGLE, &level), "MPI_T_init_thread");
    int count = 0;
    mpi::check(MPI_T_cvar_get_num(&count), "MPI_T_cvar_get_num");
    for (int i = 0; i < count; ++i) {
        std::array<char, 256> name{};
        int length = name.size();
        int verbosity = 0;
        int description_length = 0;
        int scope = 0;
        Variable found;
        found.index = i;
        if (MPI_T_cvar_get_info(i, name.data(), &length, &verbosity, &found.type, nullptr, nullptr,
                                &description_length, &found.binding, &scope) == MPI_SUCCESS) {
            found.name = name.data();
            visit(found);
        }
    }
    mpi::check(MPI_T_finalize(), "MPI_T_finalize");
}

// Those of devices that MPICH no longer has by default, of GPUs and of no message are none.
bool is_limit(const std::string& name) {
    std::string upper(name.size(), ' ');
    std::ranges::transform(name, upper.begin(), [](unsigned char c) { return std::toupper(c); });
    const auto names = [&](const char* word) { return upper.find(word) != std::string::npos; };
    return (names("EAGER") || names("RNDV") || names("CELL_SIZE") || names("P2P_THRESHOLD")) &&
           !(names("CH3") || names("NEMESIS") || names("GPU") || names("CTXID"));
}

template <class Value>
std::optional<std::int64_t> read_as(int index) {
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    int count = 0;
    if (MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS) {
        return std::nullopt;
    }
    Value value{};
    const bool read = count == 1 && MPI_T_cvar_read(handle, &value) == MPI_SUCCESS;
    MPI_T_cvar_handle_free(&handle);
    return read ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt;
}

std::optional<std::int64_t> read(int index, MPI_Datatype type) {
    if (type == MPI_INT || type == MPI_UNSIGNED) {
        return read_as<int>(index);
    }
    if (type == MPI_UNSIGNED_LONG || type == MPI_UNSIGNED_LONG_LONG || type == MPI_COUNT) {
        return read_as<std::int64_t>(index);
    }
    return std::nullopt;
}

}  // namespace

std::string list_settings() {
    std::string lines;
    for_each_variable([&](const Variable& each) { lines += each.name + '\n'; });
    return lines;
}

std::map<std::string, std::int64_t> message_limits() {
    std::map<std::string, std::int64_t> limits;
    for_each_variable([&](const Variable& each) {
        if (each.binding == MPI_T_BIND_NO_OBJECT && is_limit(each.name)) {
            if (const auto bytes = read(each.index, each.type); bytes && *bytes > 1) {
                limits.emplace(each.name, *bytes);
            }
        }
    });
    return limits;
}

}  // namespace transrank::lab::runner
