// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tuple>

#include "lab/study/collectives/call.hpp"

namespace transrank::lab::study::collectives {

/// The ways in which MPI offers one operation; mpi::Error is thrown by all of them.
struct Forms {
    void (*blocking)(const Call& call);
    void (*nonblocking)(const Call& call, MPI_Request* request);
    /// Makes an inactive request; nullptr where this MPI lacks the function.
    void (*persistent)(const Call& call, MPI_Request* request);
};

template <class Mpi, class Arguments>
inline constexpr bool has_persistent = false;
template <class Mpi, class... Arguments>
inline constexpr bool has_persistent<Mpi, std::tuple<Arguments...>> =
    requires(Arguments... arguments, MPI_Info info, MPI_Request* request) {
        Mpi::persistent(arguments..., info, request);
    };

/// The forms of an operation whose MPI functions differ only in what follows their arguments.
///
/// `Mpi` has `arguments(call)`, the tuple of those in common, and `blocking`, `nonblocking` and
/// `persistent`, which pass theirs on to the function. The last is constrained by whether mpi.h
/// declares the function: MPI 4.0 does, some libraries of MPI 3.1 do as well.
template <class Mpi>
[[nodiscard]] constexpr Forms forms_of() {
    Forms forms{};
    forms.blocking = [](const Call& call) {
        std::apply([](auto... arguments) { Mpi::blocking(arguments...); }, Mpi::arguments(call));
    };
    forms.nonblocking = [](const Call& call, MPI_Request* request) {
        std::apply([=](auto... arguments) { Mpi::nonblocking(arguments..., request); },
                   Mpi::arguments(call));
    };
    if constexpr (has_persistent<Mpi, decltype(Mpi::arguments(Call{}))>) {
        forms.persistent = [](const Call& call, MPI_Request* request) {
            std::apply(
                [=](auto... arguments) { Mpi::persistent(arguments..., MPI_INFO_NULL, request); },
                Mpi::arguments(call));
        };
    }
    return forms;
}

}  // namespace transrank::lab::study::collectives
