// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2
#include "lab/measure/payload.hpp"
#include "lab/study/memory_copy/memory_operation.hpp"
#include "lab/study/memory_copy/triad_kernels.hpp"
#include "testing.hpp"

using namespace transrank;
using namespace transrank::lab;
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

namespace {

/// An operation that has run once on 160 bytes; what it wrote can be changed.
struct Ran {
    static constexpr std::int64_t bytes = 160;

    mpi::Communicator world{MPI_COMM_WORLD};
    measure::Workspace workspace{bytes, bytes, CacheMode::warm};
    std::unique_ptr<measure::Operation> operation;
    std::vector<std::uint64_t> words;  ///< of the result

    explicit Ran(const std::string& kernel)
        : operation(study::find("memory-copy")
                        .prepare(case_of(kernel, "alone", bytes, 1), {world, workspace, bytes})),
          words((kernel == "triad" ? bytes / 2 : bytes) / 8) {
        operation->fill(4);
        operation->run(1);
        REQUIRE(operation->verify(1) == 8 * words.size());
        std::memcpy(words.data(), result().data(), result().size());
    }

    [[nodiscard]] std::span<std::byte> result() const {
        return workspace.receive(0, bytes, static_cast<std::int64_t>(8 * words.size()));
    }
    [[nodiscard]] bool notices(const std::vector<std::uint64_t>& other) const {
        std::memcpy(result().data(), other.data(), result().size());
        return !testing::words_of<measure::WrongPayload>([&] {
                    return operation->verify(1);
                }).empty();
    }
};

}  // namespace

TEST_CASE("a wrong byte, words that changed places and an older result are noticed") {
    for (const std::string kernel : {"memcpy", "nontemporal", "triad"}) {
        CAPTURE(kernel);
        const Ran ran(kernel);
        int unnoticed = 0;
        for (std::size_t i = 0; i < ran.words.size(); ++i) {
            for (unsigned bit = 0; bit < 64; bit += 4) {
                auto wrong = ran.words;
                wrong[i] ^= std::uint64_t{1} << bit;
                unnoticed += ran.notices(wrong) ? 0 : 1;
            }
            for (std::size_t j = 0; j < i; ++j) {
                auto swapped = ran.words;
                std::swap(swapped[i], swapped[j]);
                unnoticed += ran.notices(swapped) ? 0 : 1;
            }
        }
        CHECK(unnoticed == 0);
        CHECK(!ran.notices(ran.words));
        for (std::uint64_t stamp = 5; stamp < 50; ++stamp) {
            ran.operation->fill(stamp);
            CHECK(ran.notices(ran.words));
        }
    }
}

TEST_CASE("every triad kernel multiplies and adds at each place, for every short length") {
    constexpr std::size_t most = 70;
    constexpr double untouched = -1;
    std::vector<double> b(most);
    std::vector<double> c(most);
    for (std::size_t i = 0; i < most; ++i) {
        b[i] = static_cast<double>((i * 37) + 5);
        c[i] = static_cast<double>((i * i) + 1);
    }
    REQUIRE(study::triad_kernels().size() == copy::supported_instruction_sets().size());
    for (const auto& kernel : study::triad_kernels()) {
        CAPTURE(copy::name(kernel.instruction_set));
        int wrong = 0;
        for (std::size_t count = 0; count < most; ++count) {
            std::vector<double> a(most, untouched);
            kernel.triad(a.data(), b.data(), c.data(), 3, count);
            for (std::size_t i = 0; i < most; ++i) {
                wrong += a[i] == (i < count ? b[i] + (3 * c[i]) : untouched) ? 0 : 1;
            }
        }
        CHECK(wrong == 0);
    }
}
