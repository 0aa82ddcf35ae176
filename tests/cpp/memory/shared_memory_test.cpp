// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <iterator>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>

#include "testing.hpp"
#include "transrank/memory/shared_pool.hpp"
#include "transrank/memory/shared_segment.hpp"

using transrank::memory::BlockKind;
using transrank::memory::MappedBlock;
using transrank::memory::MappedSegment;
using transrank::memory::SegmentHandle;
using transrank::memory::SharedBlock;
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

TEST_CASE("a child of fork writes neither to a peer's memory") {
    const SharedSegment own(8);
    std::array<int, 2> to_parent{};
    REQUIRE(pipe(to_parent.data()) == 0);
    std::array<int, 2> to_peer{};
    REQUIRE(pipe(to_peer.data()) == 0);
    const auto peer = fork();
    if (peer == 0) {
        const SharedSegment segment(8);
        char word = 0;
        (void)!write(to_parent[1], &segment.handle(), sizeof(SegmentHandle));
        (void)!read(to_peer[0], &word, 1);
        _exit(std::to_integer<int>(segment.bytes()[0]));
    }
    SegmentHandle handle;
    REQUIRE(read(to_parent[0], &handle, sizeof(handle)) == sizeof(handle));
    const auto mapped = MappedSegment::get(handle);
    CHECK(is_true_in_child([&] {
        mapped->bytes()[0] = std::byte{7};
        return true;
    }));
    CHECK(mapped->bytes()[0] == std::byte{0});
    mapped->bytes()[0] = std::byte{5};
    (void)!write(to_peer[1], "", 1);
    int status = 0;
    waitpid(peer, &status, 0);
    CHECK(WEXITSTATUS(status) == 5);
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

TEST_CASE("segments leave descriptors for the files of the program itself") {
    rlimit before{};
    getrlimit(RLIMIT_NOFILE, &before);
    auto fewer = before;
    fewer.rlim_cur = 100;
    setrlimit(RLIMIT_NOFILE, &fewer);
    std::vector<std::unique_ptr<SharedSegment>> segments;
    std::string words;
    while (words.empty()) {
        try {
            segments.push_back(std::make_unique<SharedSegment>(10));
        } catch (const std::system_error& error) {
            words = error.what();
        }
    }
    const int own_file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    CHECK(own_file >= 0);
    close(own_file);
    CHECK(segments.size() > 50);
    CHECK(words.find("of its 100 file descriptors (ulimit -n raises that)") != std::string::npos);
    setrlimit(RLIMIT_NOFILE, &before);
}

namespace {

constexpr std::size_t large = std::size_t{20} << 20U;

}  // namespace

TEST_CASE("blocks are aligned, apart, and keep what is written into them") {
    std::mt19937 random(1);
    std::map<int, std::unique_ptr<SharedBlock>> blocks;
    for (int i = 0; i < 2000; ++i) {
        const auto bytes = i % 100 == 0 ? large : random() % 3000;
        auto block = std::make_unique<SharedBlock>(bytes);
        CHECK(reinterpret_cast<std::uintptr_t>(block->bytes().data()) % 64 == 0);
        CHECK(block->bytes().size() == bytes);
        std::ranges::fill(block->bytes().first(std::min<std::size_t>(bytes, 3000)),
                          static_cast<std::byte>(i));
        blocks.emplace(i, std::move(block));
        while (blocks.size() > 50 || random() % 3 == 0) {
            const auto one = std::next(blocks.begin(), static_cast<long>(random() % blocks.size()));
            const auto held = one->second->bytes();
            CHECK(std::ranges::all_of(
                held.first(std::min<std::size_t>(held.size(), 3000)),
                [&](auto each) { return each == static_cast<std::byte>(one->first); }));
            blocks.erase(one);
            if (blocks.empty()) {
                break;
            }
        }
    }
}

TEST_CASE("blocks of pages are aligned to pages, apart, and zeros, whatever was there before") {
    std::mt19937 random(2);
    std::vector<std::unique_ptr<SharedBlock>> blocks;
    for (int i = 0; i < 500; ++i) {
        const auto bytes = random() % 30000;
        auto block = std::make_unique<SharedBlock>(bytes, BlockKind::pages);
        const auto memory = block->bytes();
        CHECK(memory.size() == bytes);
        CHECK(reinterpret_cast<std::uintptr_t>(memory.data()) % 4096 == 0);
        CHECK(std::ranges::all_of(memory, [](auto each) { return each == std::byte{}; }));
        std::ranges::fill(memory, std::byte{0xFF});
        const auto place = SharedBlock::find(memory.data() + (bytes / 2), bytes - (bytes / 2));
        REQUIRE(place.has_value());
        CHECK(place->offset == bytes / 2);
        CHECK(MappedBlock(place->handle).data() == memory.data());
        blocks.push_back(std::move(block));
        while (blocks.size() > 20) {
            blocks.erase(blocks.begin() + static_cast<long>(random() % blocks.size()));
        }
    }
}

TEST_CASE("small blocks share a segment") {
    const SharedBlock one(100);
    const SharedBlock other(100);
    CHECK(one.handle().segment.inode == other.handle().segment.inode);
    CHECK(one.handle().offset != other.handle().offset);
}

TEST_CASE("memory is not used again as long as another process holds it") {
    std::array<int, 2> to_child{};
    std::array<int, 2> from_child{};
    REQUIRE(pipe(to_child.data()) == 0);
    REQUIRE(pipe(from_child.data()) == 0);
    auto block = std::make_unique<SharedBlock>(100);
    const auto* const address = block->bytes().data();
    const auto child = fork();
    if (child == 0) {
        char word = 0;
        {
            const MappedBlock mapped(block->handle());
            (void)!write(from_child[1], &word, 1);
            (void)!read(to_child[0], &word, 1);
        }
        (void)!write(from_child[1], &word, 1);
        (void)!read(to_child[0], &word, 1);
        _exit(0);
    }
    char word = 0;
    REQUIRE(read(from_child[0], &word, 1) == 1);
    block.reset();
    CHECK(SharedBlock(100).bytes().data() != address);
    REQUIRE(write(to_child[1], &word, 1) == 1);
    REQUIRE(read(from_child[0], &word, 1) == 1);
    CHECK(SharedBlock(100).bytes().data() == address);
    REQUIRE(write(to_child[1], &word, 1) == 1);
    waitpid(child, nullptr, 0);
    for (const int end : {to_child[0], to_child[1], from_child[0], from_child[1]}) {
        close(end);
    }
}

TEST_CASE("others keep the mapping of what the owner keeps, and of nothing else") {
    const SharedBlock small(100);
    const SharedBlock further(large);
    const auto stays_mapped = [](const SharedBlock& block) {
        auto address = reinterpret_cast<std::uintptr_t>(MappedBlock(block.handle()).data());
        address -= address % 4096;
        return msync(reinterpret_cast<void*>(address), 1, MS_ASYNC) == 0;  // NOLINT
    };
    const auto child = fork();
    if (child == 0) {
        _exit((stays_mapped(small) ? 1 : 0) + (stays_mapped(further) ? 2 : 0));
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WEXITSTATUS(status) == 1);
}

TEST_CASE("the memory of large blocks goes back to the system") {
    const auto open_files = [] {
        const std::filesystem::directory_iterator all("/proc/self/fd");
        return std::distance(begin(all), end(all));
    };
    const SharedBlock first(100);
    (void)SharedBlock(100);  // recycles what other tests have left
    const auto before = open_files();
    std::vector<std::unique_ptr<SharedBlock>> blocks;
    for (int i = 0; i < 5; ++i) {
        blocks.push_back(std::make_unique<SharedBlock>(large));
    }
    CHECK(open_files() >= before + 4);
    blocks.clear();
    (void)SharedBlock(100);
    CHECK(open_files() <= before);
}
