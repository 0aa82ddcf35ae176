// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2
// Copies arrive whole whichever way they are stored, and the way is found by trying.
#include "transrank/copy/copy_kernels.hpp"
#include "transrank/copy/core_cache.hpp"
#include "transrank/exchange/exchange.hpp"
#include "transrank/memory/shared_segment.hpp"
#include "world.hpp"

using namespace testing;
using namespace transrank;
using copy::Stores;
using exchange::Exchange;

namespace {

/// Every rank gets the bytes of the next one, in runs of 1000 with gaps, unaligned.
class Shift {
public:
    explicit Shift(std::int64_t bytes)
        : runs_(bytes / length), source_(size()), destination_(size()) {}

    [[nodiscard]] route::Route route() const {
        const route::Segment runs{.source = 3,
                                  .destination = 5,
                                  .length = length,
                                  .count = runs_,
                                  .source_stride = length + gap,
                                  .destination_stride = length + gap};
        const int next = (world_rank() + 1) % world_size();
        const int previous = (world_rank() + world_size() - 1) % world_size();
        const auto extent = static_cast<std::int64_t>(size());
        return {world_rank(),
                world_size(),
                extent,
                extent,
                {{.peer = previous, .segments = {runs}}},
                {{.peer = next, .segments = {runs}}}};
    }
    [[nodiscard]] copy::Field field() const {
        return {.source = source_.bytes().data(),
                .source_bytes = static_cast<std::int64_t>(size()),
                .destination = destination_.bytes().data(),
                .destination_bytes = static_cast<std::int64_t>(size()),
                .unit_bytes = 1};
    }
    void write(int round) const {
        std::int64_t i = 0;
        for (auto& byte : source_.bytes()) {
            byte = value(world_rank(), round, i++);
        }
        std::ranges::fill(destination_.bytes(), std::byte{0});
    }
    [[nodiscard]] bool has_arrived(int round) const {
        const int next = (world_rank() + 1) % world_size();
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(size()); ++i) {
            const std::int64_t along = i - 5;
            const bool in_run =
                along >= 0 && along % (length + gap) < length && along / (length + gap) < runs_;
            const auto expected = in_run ? value(next, round, i - 2) : std::byte{0};
            wrong += destination_.bytes()[static_cast<std::size_t>(i)] == expected ? 0 : 1;
        }
        return wrong == 0;
    }

private:
    static constexpr std::int64_t length = 1000;
    static constexpr std::int64_t gap = 24;

    static std::byte value(int rank, int round, std::int64_t i) {
        return static_cast<std::byte>((i * 7) + (i / 256) + (rank * 31) + (round * 5) + 1);
    }
    [[nodiscard]] std::size_t size() const {
        return static_cast<std::size_t>((runs_ * (length + gap)) + 10);
    }

    std::int64_t runs_;
    memory::SharedSegment source_;
    memory::SharedSegment destination_;
};

std::string run_often(const Shift& shift, Stores stores, int times) {
    exchange::Options options;
    options.stores = stores;
    Exchange exchange(shift.route(), MPI_COMM_WORLD, {shift.field()}, options);
    for (int round = 0; round < times; ++round) {
        shift.write(round);
        MPI_Barrier(MPI_COMM_WORLD);
        exchange.run();
        if (round % 4 == 0 ||
            round + 1 == times) {  // each kind of stores, and the one that is kept
            CHECK(shift.has_arrived(round));
        }
    }
    return exchange.explain();
}

bool is_told(const std::string& words) {
    return words.find("the caches (measured, with a reading: past them") != std::string::npos;
}

}  // namespace

TEST_CASE("what exceeds the caches is stored both ways, and the better one is told") {
    const auto own = copy::core_cache_bytes();
    const Shift large(std::max(own, copy::core_cache_share_bytes() / 2) + (1 << 20));
    const bool can_stream = copy::streaming_copy() != nullptr;
    CHECK(!is_told(run_often(large, Stores::measured, 6)));
    CHECK(is_told(run_often(large, Stores::measured, 9)) == can_stream);
}

TEST_CASE("what the caches hold is not tried, nor where the stores are given") {
    // The medium one exceeds a core's own caches where its share of all is large enough for that.
    const Shift medium(
        std::min(copy::core_cache_bytes() + (1 << 20), copy::core_cache_share_bytes() / 2));
    const Shift small(1 << 16);
    for (const auto stores : {Stores::measured, Stores::streamed, Stores::cached}) {
        CHECK(!is_told(run_often(medium, stores, 8)));
        CHECK(!is_told(run_often(small, stores, 8)));
    }
}
