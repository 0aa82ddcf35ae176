// SPDX-License-Identifier: BSD-3-Clause
// main() of every C++ test: each rank runs the same test cases, and all ranks fail when one does,
// or when the command line chooses none.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <mpi.h>

#include <iostream>
#include <sstream>

namespace {

unsigned chosen = 0;  // test cases

struct Reporter final : doctest::ConsoleReporter {
    using ConsoleReporter::ConsoleReporter;
    void test_run_end(const doctest::TestRunStats& stats) override {
        ConsoleReporter::test_run_end(stats);
        chosen = stats.numTestCasesPassingFilters;
    }
};
REGISTER_REPORTER("counting", 0, Reporter);

/// Runs the test cases; prints rank 0's report, and those of other ranks that failed.
int run_tests(int argc, char** argv, int rank) {
    std::ostringstream report;
    doctest::Context context(argc, argv);
    context.setCout(&report);
    context.setOption("no-colors", true);
    context.setOption("reporters", "counting");
    int failed = context.run();
    if (chosen == 0 && !context.shouldExit()) {
        report << "no test case passes the filters\n";
        failed = 1;
    }
    if (rank == 0 || failed != 0) {
        std::cerr << "rank " << rank << ":\n" << report.str() << std::flush;
    }
    return failed;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int failed_here = run_tests(argc, argv, rank);
    int failed = 0;
    MPI_Allreduce(&failed_here, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return failed;
}
