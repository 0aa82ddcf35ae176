// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "communicator_caster.hpp"
#include "transrank/exchange/known_communicator.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/lifetime.hpp"

/// An error of Python on one rank becomes the same error on every rank.
namespace transrank::bindings {

/// The message of an exception; one without a message, or that is not an Exception, is reported by
/// its name and rank.
[[nodiscard]] std::string words_of(const nanobind::python_error& error, int rank);

/// What Python is told of an agreement: the result, what this rank has raised, and what the ranks
/// have found wrong. Either the first is None or both others are, or the second where the error is
/// another rank's.
using Attempt = nanobind::tuple;

/// Paths, and words that were cut, need not be UTF-8.
[[nodiscard]] nanobind::object readable(const std::string& words);

/// What `work` has come to on this rank: it returns words that all ranks must say, and a result,
/// which `take` takes apart. From here to the agreement no signal handler of Python's runs.
struct Outcome {
    Outcome(
        const nanobind::callable& work, int rank,
        const std::function<void(nanobind::handle)>& take = [](nanobind::handle) {});

    /// Throws in words of C++ if either has thrown; touches no object of Python.
    void require() const;
    /// What `meet`, in which the ranks agree, returns or throws.
    template <class Meet>
    [[nodiscard]] Attempt settled(const Meet& meet) const {
        try {
            return nanobind::make_tuple(meet(), nanobind::none(), nanobind::none());
        } catch (const mpi::AgreedError& error) {
            return nanobind::make_tuple(nanobind::none(), raised, readable(error.what()));
        }
    }

    nanobind::object result = nanobind::none();
    nanobind::object raised = nanobind::none();
    std::optional<std::string> refusal;  ///< empty where memory is lacking
    mpi::Words said;
};

/// Collective. Throws AgreedError on every rank with the words of the lowest rank that has any, and
/// when ranks are in calls of different names or, as mpi::agree_on, say different things. Other
/// threads run meanwhile.
void agree(CommunicatorArgument comm, std::string_view call,
           const std::optional<std::string>& words, std::string_view what = {},
           const mpi::Words& said = {});

/// Collective, the first time.
[[nodiscard]] inline std::shared_ptr<exchange::KnownCommunicator> known(CommunicatorArgument comm) {
    return released([&] { return exchange::KnownCommunicator::get(comm.handle); });
}

/// Collective work that begins with an agreement, while other threads run.
template <class Work>
auto together(CommunicatorArgument comm, std::string_view call, const Work& work) {
    return released(
        [&] { return exchange::KnownCommunicator::get(comm.handle)->together(call, work); });
}

/// Collective. What `work` returns, which holds the interpreter and makes the collective call:
/// takes its arguments apart as well, since nanobind's own conversions may not throw. When memory
/// is lacking for it on this rank alone, the others are told.
template <class Work>
auto attempted(CommunicatorArgument comm, const Work& work) {
    return known(comm)->attempt(work);
}

/// Collective. What `work` returns, unless it throws on some rank. It holds the interpreter. An
/// exception that is not an Exception (KeyboardInterrupt) is raised again once all ranks know of
/// it.
template <class Work>
auto agreed(CommunicatorArgument comm, std::string_view call, const Work& work) {
    mpi::begin_to_use();
    return attempted(comm, [&] {
        std::optional<std::invoke_result_t<Work>> made;
        std::optional<std::string> words;
        std::optional<nanobind::python_error> interrupt;
        try {
            made.emplace(work());
        } catch (nanobind::python_error& error) {
            words = words_of(error, comm.rank());
            if (!error.matches(PyExc_Exception)) {
                interrupt.emplace(error);
            }
        } catch (const std::exception& error) {
            words = error.what();
        }
        try {
            agree(comm, call, words);
        } catch (const mpi::AgreedError&) {
            if (interrupt) {
                throw nanobind::python_error(*interrupt);
            }
            throw;
        }
        return *std::move(made);  // NOLINT(bugprone-unchecked-optional-access): else it has thrown
    });
}

/// An integer as Python takes one for an index; throws std::invalid_argument, which names `what`,
/// unless it is one that 64 bits can hold.
[[nodiscard]] std::int64_t as_integer(const std::string& what, nanobind::handle value);

}  // namespace transrank::bindings
