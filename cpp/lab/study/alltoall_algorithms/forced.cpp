// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/alltoall_algorithms/forced.hpp"

#include <array>
#include <stdexcept>
#include <string>
#include <utility>

#include "lab/study/alltoall_algorithms/control_variable.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study::alltoall_algorithms {
namespace {

#if defined(MPICH_VERSION)
constexpr const char* variable_name = "MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM";
constexpr std::array<Forcible, 5> algorithms{{{.name = "mpi-brucks", .value = 1},
                                              {.name = "mpi-k_brucks", .value = 2},
                                              {.name = "mpi-nb", .value = 3},
                                              {.name = "mpi-pairwise", .value = 4},
                                              {.name = "mpi-scattered", .value = 6}}};
#elif defined(OPEN_MPI)
constexpr const char* variable_name = "coll_tuned_alltoall_algorithm";
constexpr std::array<Forcible, 5> algorithms{
    {{.name = "mpi-linear", .value = 1},
     {.name = "mpi-pairwise", .value = 2},
     {.name = "mpi-modified_bruck", .value = 3},
     {.name = "mpi-linear_sync", .value = 4},
     {.name = "mpi-two_proc", .value = 5, .most_ranks = 2}}};
#else
constexpr const char* variable_name = "";
constexpr std::array<Forcible, 0> algorithms{};
#endif

ControlVariable variable(const mpi::Communicator& comm, const std::string& name) {
    return mpi::agreed(comm, [&] {
        auto found = ControlVariable::find(name);
        if (!found) {
            throw std::invalid_argument("this MPI library has no control variable " + name);
        }
        return *std::move(found);
    });
}

#if defined(OPEN_MPI)
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

/// Open MPI looks when a communicator is made.
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
        const Set algorithm(comm, variable_name, value);
        return mpi::Communicator(comm.handle());
    }

    mpi::Communicator comm_;
};
#else
/// MPICH looks at each call. What is set last holds for all communicators.
class AtEachCall final : public Forced {
public:
    AtEachCall(const mpi::Communicator& comm, int value)
        : comm_(comm.handle()), variable_(variable(comm, variable_name)), value_(value) {
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
#endif

}  // namespace

std::span<const Forcible> forcible() {
    return algorithms;
}

std::unique_ptr<Forced> force(const mpi::Communicator& comm, const Forcible& algorithm) {
#if defined(OPEN_MPI)
    return std::make_unique<WithCommunicator>(comm, algorithm.value);
#else
    return std::make_unique<AtEachCall>(comm, algorithm.value);
#endif
}

}  // namespace transrank::lab::study::alltoall_algorithms
