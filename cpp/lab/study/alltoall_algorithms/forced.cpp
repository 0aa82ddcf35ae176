// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/alltoall_algorithms/forced.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "lab/study/alltoall_algorithms/control_variable.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/error.hpp"
#include "transrank/mpi/library.hpp"

namespace transrank::lab::study::alltoall_algorithms {
namespace {

/// What one MPI library calls its variable and its algorithms.
struct Library {
    std::string_view kind;
    const char* variable;
    std::array<Forcible, 5> algorithms;
};

constexpr std::array libraries{
    Library{.kind = "mpich",
            .variable = "MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM",
            .algorithms = {{{.name = "mpi-brucks", .value = 1},
                            {.name = "mpi-k_brucks", .value = 2},
                            {.name = "mpi-nb", .value = 3},
                            {.name = "mpi-pairwise", .value = 4},
                            {.name = "mpi-scattered", .value = 6}}}},
    Library{.kind = "openmpi",
            .variable = "coll_tuned_alltoall_algorithm",
            .algorithms = {{{.name = "mpi-linear", .value = 1},
                            {.name = "mpi-pairwise", .value = 2},
                            {.name = "mpi-modified_bruck", .value = 3},
                            {.name = "mpi-linear_sync", .value = 4},
                            {.name = "mpi-two_proc", .value = 5, .most_ranks = 2}}}}};

/// nullptr where this one is not known.
const Library* this_library() {
    const auto found = std::ranges::find(libraries, mpi::library_kind(), &Library::kind);
    return found == libraries.end() ? nullptr : &*found;
}

ControlVariable variable(const mpi::Communicator& comm, const std::string& name) {
    return mpi::agreed(comm, [&] {
        auto found = ControlVariable::find(name);
        if (!found) {
            throw std::invalid_argument("this MPI library has no control variable " + name);
        }
        return *std::move(found);
    });
}

/// A variable with another value for as long as it lives.
class Set {
public:
    Set(const mpi::Communicator& comm, const std::string& name, int value)
        : variable_(variable(comm, name)), before_(variable_.value()) {
        variable_.set(value);
    }
    Set(const Set&) = delete;
    Set& operator=(const Set&) = delete;
    ~Set() {
        try {
            variable_.set(before_);
        } catch (const mpi::Error&) {  // NOLINT(bugprone-empty-catch): it took this value once
        }
    }

private:
    ControlVariable variable_;
    int before_;
};

/// Open MPI looks when a communicator is made. Of a library that is not known, its own choice.
class WithCommunicator final : public Forced {
public:
    WithCommunicator(const mpi::Communicator& comm, int value) : comm_(made(comm, value)) {}

    [[nodiscard]] MPI_Comm comm() const override { return comm_.handle(); }
    void choose() override {}

private:
    static mpi::Communicator made(const mpi::Communicator& comm, int value) {
        if (value < 0) {
            return mpi::Communicator(comm.handle());
        }
        const Set dynamic(comm, "coll_tuned_use_dynamic_rules", 1);
        const Set algorithm(comm, this_library()->variable, value);
        return mpi::Communicator(comm.handle());
    }

    mpi::Communicator comm_;
};

/// MPICH looks at each call. What is set last holds for all communicators.
class AtEachCall final : public Forced {
public:
    AtEachCall(const mpi::Communicator& comm, int value)
        : comm_(comm.handle()), variable_(variable(comm, this_library()->variable)), value_(value) {
        (void)original();
    }
    AtEachCall(const AtEachCall&) = delete;
    AtEachCall& operator=(const AtEachCall&) = delete;
    ~AtEachCall() override {
        try {
            variable_.set(original());
        } catch (const mpi::Error&) {  // NOLINT(bugprone-empty-catch): it took this value once
        }
    }

    [[nodiscard]] MPI_Comm comm() const override { return comm_.handle(); }
    void choose() override { variable_.set(value_ < 0 ? original() : value_); }

private:
    // Before any of these has set it.
    [[nodiscard]] int original() const {
        static const int value = variable_.value();
        return value;
    }

    mpi::Communicator comm_;
    ControlVariable variable_;
    int value_;
};

}  // namespace

std::span<const Forcible> forcible() {
    const auto* library = this_library();
    return library == nullptr ? std::span<const Forcible>() : library->algorithms;
}

std::unique_ptr<Forced> force(const mpi::Communicator& comm, const Forcible& algorithm) {
    if (mpi::library_kind() == "mpich") {
        return std::make_unique<AtEachCall>(comm, algorithm.value);
    }
    return std::make_unique<WithCommunicator>(comm, algorithm.value);
}

}  // namespace transrank::lab::study::alltoall_algorithms
