// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1
#include "lab/measure/payload.hpp"
#include "lab/measure/sampler.hpp"
#include "lab/measure/workspace.hpp"
#include "testing.hpp"

using namespace transrank;
using namespace transrank::lab;
using namespace transrank::lab::measure;

namespace {

constexpr Payload message{.source = 3, .target = 5, .stamp = 7};

std::vector<std::byte> written(const Payload& payload, std::size_t bytes) {
    std::vector<std::byte> buffer(bytes);
    payload.write(buffer);
    return buffer;
}

bool passes(const Payload& payload, std::span<const std::byte> buffer) {
    return testing::words_of<WrongPayload>([&] { payload.check(buffer); }).empty();
}

}  // namespace

TEST_CASE("what was written passes, at every length") {
    for (std::size_t bytes = 0; bytes < 300; ++bytes) {
        REQUIRE(passes(message, written(message, bytes)));
    }
}

TEST_CASE("a buffer of no particular alignment is written and checked too") {
    std::vector<std::byte> memory(100);
    for (std::size_t offset = 0; offset < 16; ++offset) {
        const auto part = std::span(memory).subspan(offset, 53);
        message.write(part);
        REQUIRE(std::ranges::equal(part, written(message, 53)));
        REQUIRE(passes(message, part));
    }
}

TEST_CASE("one changed byte is noticed, wherever it is and whatever it becomes") {
    int unnoticed = 0;
    for (std::size_t bytes = 1; bytes < 20; ++bytes) {
        auto buffer = written(message, bytes);
        for (auto& byte : buffer) {
            for (int change = 1; change < 256; ++change) {
                byte ^= static_cast<std::byte>(change);
                unnoticed += passes(message, buffer) ? 1 : 0;
                byte ^= static_cast<std::byte>(change);
            }
        }
        REQUIRE(passes(message, buffer));
    }
    CHECK(unnoticed == 0);
}

TEST_CASE("changes that cancel each other are noticed") {
    auto buffer = written(message, 64);
    for (std::size_t first = 0; first < 64; first += 8) {
        for (std::size_t second = 0; second < first; second += 8) {
            std::swap_ranges(&buffer[first], &buffer[first] + 8, &buffer[second]);
            CHECK(!passes(message, buffer));
            std::swap_ranges(&buffer[first], &buffer[first] + 8, &buffer[second]);
        }
    }
}

TEST_CASE("a message that arrived at another place is noticed") {
    const auto longer = written(message, 600);
    for (std::size_t shift = 1; shift < 500; ++shift) {
        REQUIRE(!passes(message, std::span(longer).subspan(shift, 100)));
    }
}

TEST_CASE("another rank's message, one to another rank and an older one are noticed") {
    for (const std::size_t bytes : {8U, 9U, 100U}) {
        CAPTURE(bytes);
        const auto buffer = written(message, bytes);
        CHECK(!passes({.source = 5, .target = 3, .stamp = 7}, buffer));
        for (int other = 0; other < 1000; ++other) {
            const bool same_source = other == message.source;
            const bool same_target = other == message.target;
            const auto stamp = static_cast<std::uint64_t>(other);
            REQUIRE(passes({.source = other, .target = 5, .stamp = 7}, buffer) == same_source);
            REQUIRE(passes({.source = 3, .target = other, .stamp = 7}, buffer) == same_target);
            REQUIRE(passes({.source = 3, .target = 5, .stamp = stamp}, buffer) == (stamp == 7));
        }
    }
}

TEST_CASE("even of messages of one byte, hardly any passes for another") {
    int unnoticed = 0;
    for (std::uint64_t stamp = 8; stamp < 8 + 2560; ++stamp) {
        const Payload other{.source = 3, .target = 5, .stamp = stamp};
        unnoticed += passes(message, written(other, 1)) ? 1 : 0;
    }
    CHECK(unnoticed < 30);  // one in 256 is 10
}

TEST_CASE("a message that did not arrive, or not all of it, is noticed") {
    int unnoticed = 0;
    for (std::size_t bytes = 8; bytes < 40; ++bytes) {
        for (std::size_t arrived = 0; arrived + 8 <= bytes; ++arrived) {
            std::vector<std::byte> buffer(bytes);
            poison(buffer);
            std::ranges::copy_n(written(message, bytes).begin(),
                                static_cast<std::ptrdiff_t>(arrived), buffer.begin());
            unnoticed += passes(message, buffer) ? 1 : 0;
        }
    }
    CHECK(unnoticed == 0);
}

TEST_CASE("the error names the ranks, the iteration and the first wrong byte's word") {
    auto buffer = written(message, 100);
    buffer[21] ^= std::byte{1};
    buffer[50] ^= std::byte{1};
    const auto what = testing::words_of<WrongPayload>([&] { message.check(buffer); });
    CHECK(what.find("from rank 3 to rank 5, iteration 7, byte 16:") != std::string::npos);
}

TEST_CASE("reduction elements are small whole numbers that differ from place to place") {
    for (int rank = 0; rank < 100; ++rank) {
        for (std::size_t position = 0; position < 200; ++position) {
            const int element = reduction_element(rank, position, 11);
            REQUIRE(element >= 0);
            REQUIRE(element < static_cast<int>(reduction_period));
            REQUIRE(element == reduction_element(rank, position + reduction_period, 11));
            REQUIRE(element != reduction_element(rank, position + 1, 11));
            REQUIRE(element != reduction_element(rank + 1, position, 11));
            REQUIRE(element != reduction_element(rank, position, 12));
        }
    }
    // What 2^18 ranks add up to is below 2^24, so exact in float whatever the order.
    constexpr std::size_t most = (reduction_period - 1) << 18U;
    constexpr std::size_t exact = std::size_t{1} << 24U;
    CHECK(most < exact);
}

namespace {

constexpr std::array modes{CacheMode::warm, CacheMode::rewritten, CacheMode::cold};

struct Need {
    std::int64_t send;
    std::int64_t receive;
    [[nodiscard]] std::int64_t slot() const { return std::max(send, receive); }
};

const std::vector<Need> needs{{0, 0},       {1, 1},       {0, 8},         {8, 0},
                              {255, 256},   {257, 257},   {4096, 17},     {17, 4096},
                              {5000, 5000}, {100'000, 8}, {8, 1'000'000}, {3 << 20, 3 << 20}};

std::vector<std::span<std::byte>> all_slots(const Workspace& workspace, const Need& need) {
    std::vector<std::span<std::byte>> slots;
    for (std::int64_t i = 0; i < workspace.slots(need.slot()); ++i) {
        slots.push_back(workspace.send(i, need.slot(), need.send));
        slots.push_back(workspace.receive(i, need.slot(), need.receive));
    }
    return slots;
}

void fill(const std::vector<std::span<std::byte>>& slots) {
    for (std::size_t i = 0; i < slots.size(); ++i) {
        Payload{.source = 0, .target = 0, .stamp = i}.write(slots[i]);
    }
}

void check(const std::vector<std::span<std::byte>>& slots) {
    for (std::size_t i = 0; i < slots.size(); ++i) {
        CHECK_NOTHROW(Payload({.source = 0, .target = 0, .stamp = i}).check(slots[i]));
    }
}

}  // namespace

TEST_CASE(
    "no two slots of a case overlap, in room of its own or for larger ones, nor does a flush") {
    Need most{0, 0};
    for (const auto& need : needs) {
        most = {std::max(most.send, need.send), std::max(most.receive, need.receive)};
    }
    for (const auto mode : modes) {
        CAPTURE(name(mode));
        const Workspace larger(most.send, most.receive, mode);
        for (const auto& need : needs) {
            CAPTURE(need.send);
            CAPTURE(need.receive);
            const Workspace own(need.send, need.receive, mode, 4088);
            for (const auto* workspace : {&own, &larger}) {
                const auto slots = all_slots(*workspace, need);
                fill(slots);
                check(slots);
                workspace->flush(workspace->slots(need.slot()), need.slot());
                check(slots);
            }
        }
    }
}

TEST_CASE("buffers begin as far past a page boundary as asked for") {
    for (const std::int64_t offset : {0, 16, 4088}) {
        CAPTURE(offset);
        const Workspace workspace(300'000, 8, CacheMode::warm, offset);
        for (const auto* first : {workspace.send(0, 300'000, 300'000).data(),
                                  workspace.receive(0, 300'000, 8).data()}) {
            CHECK(reinterpret_cast<std::uintptr_t>(first) % 4096 ==
                  static_cast<std::uintptr_t>(offset));
        }
    }
}

TEST_CASE("warm buffers are one slot, the others are as many as a megabyte holds") {
    for (const std::int64_t bytes : {0, 8, 4096, 300'000, 2 << 20}) {
        CAPTURE(bytes);
        CHECK(Workspace(bytes, bytes, CacheMode::warm).slots(bytes) == 1);
        for (const auto mode : {CacheMode::rewritten, CacheMode::cold}) {
            const auto slots = Workspace(bytes, bytes, mode).slots(bytes);
            CHECK(slots >= 1);
            CHECK(slots <= 256);
            CHECK((slots == 256 || (slots + 1) * (bytes + 256) > 1 << 20));
        }
    }
}

TEST_CASE("slots begin at lines that prefetching one does not bring the next") {
    const Workspace workspace(8, 8, CacheMode::cold);
    REQUIRE(workspace.slots(8) == 256);
    for (std::int64_t i = 0; i < 256; ++i) {
        const auto address = reinterpret_cast<std::uintptr_t>(workspace.send(i, 8, 8).data());
        CHECK(address % 256 == 0);
    }
}

TEST_CASE("the footprint covers all slots of both sides") {
    for (const auto mode : modes) {
        for (const auto& need : needs) {
            const Workspace workspace(need.send, need.receive, mode);
            const auto slots = workspace.slots(need.slot());
            CHECK(Workspace::footprint(need.send, need.receive, mode) >=
                  slots * (need.send + need.receive));
        }
    }
}

TEST_CASE("a buffer begins at a page, and its pages are its own") {
    const Buffer buffer(5000);
    CHECK(buffer.bytes().size() == 5000);
    CHECK(reinterpret_cast<std::uintptr_t>(buffer.bytes().data()) % 4096 == 0);
    CHECK(std::ranges::all_of(buffer.bytes(), [](std::byte b) { return b == std::byte{0}; }));
    CHECK(Buffer(0).bytes().empty());
}

namespace {

/// Follows a chain through all cache lines of a buffer, in an order that no prefetcher guesses.
class Chase final : public measure::Operation {
public:
    explicit Chase(std::span<std::byte> memory) {
        const std::size_t lines = memory.size() / 64;
        for (std::size_t i = 0; i < lines; ++i) {
            lines_.push_back(&memory[i * 797 % lines * 64]);
        }
    }
    void fill(std::uint64_t /*stamp*/) override {
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            const auto* next = lines_[(i + 1) % lines_.size()];
            std::memcpy(lines_[i], static_cast<const void*>(&next), sizeof next);
        }
    }
    void run(std::int64_t /*repetitions*/) override {
        std::byte* at = lines_.front();
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            std::memcpy(static_cast<void*>(&at), static_cast<const void*>(at), sizeof at);
        }
        CHECK(at == lines_.front());
    }
    std::uint64_t verify(std::int64_t /*repetitions*/) override { return 0; }

private:
    std::vector<std::byte*> lines_;
};

}  // namespace

TEST_CASE("cold buffers are read from memory, others from the caches") {
    const mpi::Communicator comm(MPI_COMM_WORLD);
    constexpr std::int64_t bytes = 64 << 10;
    const auto fastest = [&](measure::CacheMode mode) {
        const measure::Workspace workspace(bytes, bytes, mode);
        const auto start = measure::make_barrier(comm);
        const auto stopping = measure::make_count_stopping(100);
        measure::Sampler sampler(comm, *start, workspace, {.seed = 1, .max_seconds = 1});
        std::vector<measure::CaseRun> group(1);
        group[0].point.study = "chase";
        group[0].point.send_bytes = bytes;
        group[0].point.receive_bytes = bytes;
        group[0].point.timing = measure::TimingKind::single;
        group[0].operation = std::make_unique<Chase>(workspace.receive(0, bytes, bytes));
        group[0].stopping = stopping.get();
        sampler.measure(group, {.calibrated = [](const measure::CaseRun&) {},
                                .advanced = [](const measure::CaseRun&, int) { return true; },
                                .finished = [](measure::CaseRun&) {}});
        return std::ranges::min(group[0].own.seconds);
    };
    const double cold = fastest(measure::CacheMode::cold);
    const double warm = fastest(measure::CacheMode::warm);
    // Twice as long where a processor fetches ahead; as long, if nothing was flushed.
    CHECK(cold > 1.4 * warm);
}
