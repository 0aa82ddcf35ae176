// SPDX-License-Identifier: BSD-3-Clause
// transrank-run: the native program that measures under mpiexec. It knows nothing of Python.
#include <mpi.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "campaign.hpp"
#include "lab/machine/clock.hpp"
#include "lab/machine/process.hpp"
#include "launch_facts.hpp"
#include "listing.hpp"
#include "options.hpp"
#include "planning.hpp"
#include "settings.hpp"
#include "transrank/exchange/exchange.hpp"
#include "transrank/mpi/error.hpp"
#include "transrank/version.h"

namespace transrank::lab::runner {
namespace {

enum ExitStatus : int { success = 0, wrong_usage = 2, failure = 3 };

// This process's rank as the launcher says it before MPI is up; -1 where it does not.
int announced_rank() {
    for (const char* variable : {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"}) {
        const char* rank = std::getenv(variable);
        if (rank != nullptr) {
            return std::atoi(rank);
        }
    }
    return -1;
}

// Every rank sees the same wrong command line; one of them says so.
bool launched_as_first() {
    return announced_rank() <= 0;
}

void complain(const char* message) {
    std::fprintf(stderr, "transrank-run: %s\n", message);
}

// Waits until the launcher has read what this process wrote to stderr, at most one second: when a
// rank aborts, MPICH's launcher drops what it has not read, the cause of the abort with it.
void await_reader_of_stderr() {
    struct stat stream{};
    if (fstat(STDERR_FILENO, &stream) != 0 || !S_ISFIFO(stream.st_mode)) {
        return;
    }
    for (int millisecond = 0; millisecond < 1000; ++millisecond) {
        int unread = 0;
        if (ioctl(STDERR_FILENO, FIONREAD, &unread) != 0 || unread == 0) {
            return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

void probe() {
    const mpi::Communicator world(MPI_COMM_WORLD);
    text::JsonWriter json;
    json.begin_object();
    write_launch_facts(world, machine::measure_clock(), json);
    json.end_object();
    if (world.rank() == 0) {
        std::puts(json.text().c_str());
    }
}

int measure(const Options& options) {
    return run_campaign(options) == 0 ? success : failure;
}

// Runs `work` between MPI_Init and MPI_Finalize. Errors that all ranks share end in order; any
// other error on one rank ends the job, since the others may be waiting for it.
template <class Work>
int with_mpi(const Work& work) {
    int provided = 0;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
        complain("MPI_Init_thread failed; was this program started by the mpiexec of its MPI?");
        return failure;
    }
    int status = success;
    try {
        status = work();
    } catch (const UsageError& error) {
        if (launched_as_first()) {
            complain(error.what());
        }
        status = wrong_usage;
    } catch (const std::exception& error) {
        complain(error.what());
        std::fflush(nullptr);
        await_reader_of_stderr();
        MPI_Abort(MPI_COMM_WORLD, failure);
    }
    MPI_Finalize();
    return status;
}

void print_stamp(double entered, const double* initialised, int rank) {
    text::JsonWriter json;
    json.begin_object().key("entered").value(entered).key("initialised");
    initialised == nullptr ? json.null() : json.value(*initialised);
    json.key("host").value(machine::host_name()).key("pid").value(getpid());
    json.key("rank").value(rank).end_object();
    std::puts(json.text().c_str());
}

int stamp(const Options& options, double entered) {
    if (!options.stamp_initialises) {
        print_stamp(entered, nullptr, announced_rank());
        return success;
    }
    return with_mpi([entered] {
        const double initialised = machine::epoch_now();
        const mpi::Communicator world(MPI_COMM_WORLD);
        print_stamp(entered, &initialised, world.rank());
        return success;
    });
}

int act(const Options& options, double entered) {
    switch (options.action) {
        case Action::help:
            std::fputs(help_text().c_str(), stdout);
            return success;
        case Action::version:
            std::printf("transrank-run %s\n%s\n", TRANSRANK_VERSION, library_version().c_str());
            return success;
        case Action::list:
            std::puts(list_studies().c_str());
            return success;
        case Action::list_cases:
            std::fputs(list_cases(options).c_str(), stdout);
            return success;
        case Action::list_settings:
            std::fputs(list_settings().c_str(), stdout);
            return success;
        case Action::plan: {
            const auto print = [&] {
                std::fputs(plan(options, std::cin).c_str(), stdout);
                return success;
            };
            return plan_needs_mpi(options) ? with_mpi(print) : print();
        }
        case Action::stamp:
            return stamp(options, entered);
        case Action::probe:
            return with_mpi([] {
                probe();
                return success;
            });
        case Action::measure:
            return with_mpi([&] { return measure(options); });
    }
    return failure;
}

}  // namespace
}  // namespace transrank::lab::runner

int main(int argc, char** argv) {
    using namespace transrank::lab::runner;
    const double entered = transrank::lab::machine::epoch_now();
    // A record file that may not grow is reported as an error of its write, like a full disk.
    (void)std::signal(SIGXFSZ, SIG_IGN);
    // An axis names the transport of a case, `auto` among them.
    (void)unsetenv(transrank::exchange::transport_variable);
    try {
        return act(parse_options(argc, argv), entered);
    } catch (const UsageError& error) {
        if (launched_as_first()) {
            complain(error.what());
        }
        return wrong_usage;
    } catch (const std::exception& error) {
        complain(error.what());
        return failure;
    }
}
