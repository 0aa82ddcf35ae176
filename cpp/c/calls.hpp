// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <utility>

#include "c/arguments.hpp"
#include "transrank/exchange/known_communicator.hpp"
#include "transrank/mpi/agreement.hpp"

/// Every function of C is one of these calls: no exception leaves it.
namespace transrank::c {

/// The status of the exception that is being handled; keeps its text for this thread.
[[nodiscard]] int note_error() noexcept;

/// Runs `work`; returns the status.
template <class Work>
int attempt(const Work& work) noexcept {
    try {
        work();
        return TRANSRANK_OK;
    } catch (...) {
        return note_error();
    }
}

/// Not collective. Makes an object, and a handle for it.
template <class Public, class Make>
int create(Public** result, const Make& make) noexcept {
    return attempt([&] {
        *Arguments().pointer(result, "the last argument") = nullptr;
        *result = keep<Public>(make(Arguments()));
    });
}

/// What transrank_refuse has asked for ends with the collective call that follows, refused or not.
class RefusalEnd {
public:
    RefusalEnd() = default;
    RefusalEnd(const RefusalEnd&) = delete;
    RefusalEnd& operator=(const RefusalEnd&) = delete;
    ~RefusalEnd();
};

/// Collective. `check` looks at the arguments of this rank, and returns the work to be done when
/// all have: what it throws on one rank is thrown on all. Returns what that work does, given a
/// communicator. `call`: the name of the function of C.
template <class Check>
auto together(const char* call, MPI_Comm comm, const Check& check) {
    const RefusalEnd end;
    return exchange::KnownCommunicator::get(comm)->together(
        call, [&](const mpi::Communicator& own) {
            return mpi::agreed(own, [&] { return check(Arguments(own.rank())); })(own);
        });
}

/// Collective. What `check` returns, as `together` runs it.
template <class Check>
auto agreed(const char* call, MPI_Comm comm, const Check& check) {
    return together(call, comm, [&](const Arguments& arguments) {
        return [checked = check(arguments)](const mpi::Communicator&) mutable {
            return std::move(checked);
        };
    });
}

/// Collective. Makes an object, and a handle for it. `make` is given a function that adds to a
/// check of the arguments that of `result`.
template <class Public, class Make>
int create_by(MPI_Comm comm, Public** result, const Make& make) noexcept {
    if (result != nullptr) {
        *result = nullptr;
    }
    const RefusalEnd end;
    return attempt([&] {
        exchange::KnownCommunicator::get(comm)->attempt([&] {
            auto object = make([result](const auto& check) {
                return [result, check](const Arguments& arguments) {
                    (void)arguments.pointer(result, "the last argument");
                    return check(arguments);
                };
            });
            *result = keep<Public>(std::move(object));
        });
    });
}

/// Collective. Makes an object as `together` does, and a handle for it.
template <class Public, class Check>
int create_together(const char* call, MPI_Comm comm, Public** result, const Check& check) noexcept {
    return create_by(comm, result, [&](const auto& with_result) {
        return together(call, comm, with_result(check));
    });
}

/// Collective. The same, but the work is given nothing.
template <class Public, class Check>
int create_agreed(const char* call, MPI_Comm comm, Public** result, const Check& check) noexcept {
    return create_by(comm, result, [&](const auto& with_result) {
        return agreed(call, comm, with_result(check))();
    });
}

template <class Public>
int destroy(Public** given) noexcept {
    return attempt([&] {
        Public*& handle = *Arguments().pointer(given, "the handle's variable");
        if (handle != nullptr) {
            (void)Arguments().object(handle);
            release(*find(handle)).reset();
            handle = nullptr;
        }
    });
}

}  // namespace transrank::c
