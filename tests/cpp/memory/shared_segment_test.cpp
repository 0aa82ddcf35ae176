// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/memory/shared_segment.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

using transrank::memory::MappedSegment;
using transrank::memory::SegmentHandle;
using transrank::memory::SharedSegment;

namespace {

/// Runs `work` in a child process; whether it returned true there.
template <class Work>
bool is_true_in_child(const Work& work) {
    const auto child = fork();
    if (child == 0) {
        bool good = false;
        try {
            good = work();
        } catch (...) {
            good = false;
        }
        _exit(good ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TEST_CASE("another process sees what is written into a segment, and the other way round") {
    const SharedSegment segment(100);
    segment.bytes()[7] = std::byte{42};
    CHECK(is_true_in_child([&] {
        const MappedSegment mapped(segment.handle());
        mapped.bytes()[8] = std::byte{43};
        return mapped.bytes().size() == 100 && mapped.bytes()[7] == std::byte{42} &&
               mapped.bytes().data() != segment.bytes().data();
    }));
    CHECK(segment.bytes()[8] == std::byte{43});
}

TEST_CASE("a segment is zeroed, and one of no bytes has an address too") {
    const SharedSegment segment(5000);
    CHECK(std::ranges::all_of(segment.bytes(), [](auto each) { return each == std::byte{0}; }));
    CHECK(SharedSegment(0).bytes().data() != nullptr);
}

TEST_CASE("a process maps a segment once, also its own") {
    const SharedSegment segment(10);
    CHECK(MappedSegment::get(segment.handle())->bytes().data() == segment.bytes().data());
}

TEST_CASE("a handle that means something else is refused, and nothing is opened") {
    const SharedSegment segment(10);
    auto handle = segment.handle();
    handle.inode += 1;
    CHECK_THROWS_WITH_AS(
        MappedSegment{handle},
        ("process " + std::to_string(getpid()) + " does not hold the shared memory it announced")
            .c_str(),
        std::runtime_error);
    // A pipe without a reader would block an open that is not preceded by a look.
    std::array<int, 2> ends{};
    REQUIRE(pipe(ends.data()) == 0);
    handle.descriptor = ends[1];
    CHECK_THROWS_AS(MappedSegment{handle}, std::runtime_error);
    close(ends[0]);
    close(ends[1]);
    handle.descriptor = 1 << 20;
    CHECK_THROWS_AS(MappedSegment{handle}, std::system_error);
}

TEST_CASE("what is inside a living segment is found by its address") {
    std::array<std::byte, 16> elsewhere{};
    CHECK(!SharedSegment::find(elsewhere.data(), elsewhere.size()));
    const std::byte* address = nullptr;
    {
        const SharedSegment segment(64);
        address = segment.bytes().data();
        const auto place = SharedSegment::find(address + 24, 40);
        REQUIRE(place);
        CHECK(place->offset == 24);
        CHECK(place->handle.inode == segment.handle().inode);
        CHECK(!SharedSegment::find(address + 24, 41));
    }
    CHECK(!SharedSegment::find(address, 1));
}
