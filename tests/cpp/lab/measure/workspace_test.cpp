// SPDX-License-Identifier: BSD-3-Clause
#include "lab/measure/workspace.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "lab/measure/payload.hpp"

using namespace transrank::lab::measure;

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

TEST_CASE("no two slots of a case overlap, and flushing them changes nothing") {
    for (const auto mode : modes) {
        CAPTURE(name(mode));
        for (const auto& need : needs) {
            CAPTURE(need.send);
            CAPTURE(need.receive);
            const Workspace workspace(need.send, need.receive, mode, 4088);
            const auto slots = all_slots(workspace, need);
            fill(slots);
            check(slots);
            workspace.flush(workspace.slots(need.slot()), need.slot());
            check(slots);
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

TEST_CASE("a case has room in a workspace that was made for larger ones") {
    Need most{0, 0};
    for (const auto& need : needs) {
        most = {std::max(most.send, need.send), std::max(most.receive, need.receive)};
    }
    for (const auto mode : modes) {
        CAPTURE(name(mode));
        const Workspace workspace(most.send, most.receive, mode);
        for (const auto& need : needs) {
            CAPTURE(need.send);
            CAPTURE(need.receive);
            const auto slots = all_slots(workspace, need);
            fill(slots);
            check(slots);
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
