// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2
#include <doctest/doctest.h>
#include <mpi.h>

#include <algorithm>
#include <string>

#include "transrank/measure/payload.hpp"
#include "transrank/study/memory_operation.hpp"

using namespace transrank;
using measure::CacheMode;

namespace {

measure::Case case_of(const std::string& kernel, const std::string& active, std::int64_t bytes,
                      int ranks) {
    study::Selection selection;
    selection.sizes = {bytes};
    selection.axes["kernel"] = {kernel};
    selection.axes["active"] = {active};
    return study::select(study::find("memory-copy"), selection, ranks, CacheMode::warm,
                         std::int64_t{1} << 30)
        .at(0);
}

}  // namespace

TEST_CASE("a copy counts what it copies, the triad what STREAM counts, together all ranks'") {
    CHECK(case_of("memcpy", "alone", 4096, 8).bytes_counted == 4096);
    CHECK(case_of("memcpy", "together", 4096, 8).bytes_counted == 8 * 4096);
    CHECK(case_of("nontemporal", "alone", 4096, 8).bytes_counted == 4096);
    CHECK(case_of("triad", "alone", 4096, 8).bytes_counted == 24.0 * (4096 / 16));
    CHECK(case_of("triad", "together", 4096, 8).bytes_counted == 8 * 24.0 * (4096 / 16));
    CHECK(case_of("memcpy", "alone", 4096, 8).timing == measure::TimingKind::in_turn);
    CHECK(case_of("memcpy", "together", 4096, 8).timing == measure::TimingKind::bulk);
}

TEST_CASE("the triad needs whole elements of both operands") {
    CHECK(case_of("triad", "alone", 32, 1).skip_reason.empty());
    CHECK(case_of("triad", "alone", 40, 1).skip_reason == "the triad reads a multiple of 16 bytes");
    CHECK(case_of("memcpy", "alone", 40, 1).skip_reason.empty());
}

TEST_CASE("any byte of the result that is wrong is noticed") {
    const mpi::Communicator world(MPI_COMM_WORLD);
    constexpr std::int64_t bytes = 160;
    const auto noticed = [&](const std::string& kernel, std::int64_t result_bytes) {
        const auto point = case_of(kernel, "alone", bytes, 1);
        const measure::Workspace workspace(bytes, bytes, CacheMode::warm);
        const auto operation = study::find("memory-copy").prepare(point, {world, workspace, bytes});
        operation->fill(4);
        operation->run(1);
        REQUIRE(operation->verify(1) == static_cast<std::uint64_t>(result_bytes));
        int count = 0;
        for (auto& byte : workspace.receive(0, bytes, result_bytes)) {
            byte ^= std::byte{0x10};
            try {
                (void)operation->verify(1);
            } catch (const measure::WrongPayload&) {
                ++count;
            }
            byte ^= std::byte{0x10};
        }
        return count;
    };
    CHECK(noticed("memcpy", bytes) == bytes);
    CHECK(noticed("nontemporal", bytes) == bytes);
    CHECK(noticed("triad", bytes / 2) == bytes / 2);
}
