// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/memory/shared_pool.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using transrank::memory::BlockKind;
using transrank::memory::MappedBlock;
using transrank::memory::SharedBlock;

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
