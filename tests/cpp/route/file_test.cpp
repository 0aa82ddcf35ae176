// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/file.hpp"

#include <cstdarg>
#include <fcntl.h>
#include <iterator>
#include <malloc.h>
#include <new>
#include <sys/syscall.h>

#include "testing.hpp"
#include "transrank/route/checksum.hpp"
#include "transrank/route/file_format.hpp"
#include "transrank/route/halo.hpp"

using namespace transrank::route;

namespace {

std::vector<int> flags_of_new_files;
std::size_t bytes_in_use = 0;
std::size_t most_in_use = 0;

}  // namespace

// So do its allocations.
void* operator new(std::size_t bytes) {
    void* memory = std::malloc(bytes);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    bytes_in_use += malloc_usable_size(memory);
    most_in_use = std::max(most_in_use, bytes_in_use);
    return memory;
}

void operator delete(void* memory) noexcept {
    bytes_in_use -= malloc_usable_size(memory);
    std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
    operator delete(memory);
}

// The library's calls come here.
extern "C" int open(const char* path, int flags, ...) {
    mode_t mode = 0;
    if ((flags & O_CREAT) != 0) {
        std::va_list more;
        va_start(more, flags);
        mode = va_arg(more, mode_t);
        va_end(more);
        flags_of_new_files.push_back(flags);
    }
    return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

namespace {

using testing::Folder;

Route example() {
    const Segment strided{.source = 3,
                          .destination = 1,
                          .length = 2,
                          .count = 4,
                          .source_stride = 20,
                          .destination_stride = 2,
                          .further = {{.count = 2, .source_stride = 10, .destination_stride = 8}}};
    const Segment single{.source = 0, .destination = 9, .length = 5};
    return {1,
            4,
            100,
            30,
            {Leg{.peer = 0, .segments = {strided}}, Leg{.peer = 1, .segments = {single}}},
            {Leg{.peer = 1, .segments = {single}}, Leg{.peer = 3, .segments = {strided, single}}},
            {.source = {4, 25}, .destination = {5, 1, 6}}};
}

std::string read(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::filesystem::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

/// A file of the example.
struct Saved {
    Folder folder;
    std::filesystem::path path = folder.path / "some.route";
    std::string whole;

    Saved() {
        save(example(), path);
        whole = read(path);
    }
};

/// What load() says about a file of these bytes, its path left out.
std::string refusal(const std::filesystem::path& path, const std::string& bytes) {
    write(path, bytes);
    const auto text = testing::words_of<FileError>([&] { return load(path); });
    REQUIRE((text.empty() || text.starts_with(path.string() + " ")));
    return text.empty() ? "accepted" : text.substr(path.string().size() + 1);
}

std::string bytes_of(Words words) {
    Checksum sum;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        sum.add(words[i]);
    }
    words.back() = sum.value();
    return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(words[0])};
}

}  // namespace

TEST_CASE("a route is read as it was written, over an older file, and nothing else is left") {
    const Folder folder;
    const auto path = folder.path / "some.route";
    write(path, "an older file");
    save(example(), path);
    CHECK(load(path) == example());
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path), {}) == 1);
    for (const Shapes& shapes : {Shapes{}, Shapes{.source = {0, 11}, .destination = {}},
                                 Shapes{.source = {}, .destination = {0, 0}}}) {
        const Route empty(0, 1, 0, 0, {}, {}, shapes);
        save(empty, path);
        CHECK(load(path) == empty);
    }
}

TEST_CASE("a file of version 1 is read, and knows no shapes") {
    // The halo of 4 x 3 cells on one rank, one row wide and periodic, as it was written then.
    Words words{0x1a0a0d4554525489, 0x0102030405060708, 1, 39, 0, 1, 18, 18, 1, 1, 0, 2, 0, 2};
    for (int leg = 0; leg < 2; ++leg) {
        words.insert(words.end(), {12, 0, 3, 1, 0, 0, 3, 15, 3, 1, 0, 0});
    }
    words.push_back(0x6b4f1dd99b0bc941);
    const Folder folder;
    const auto path = folder.path / "old.route";
    write(path, {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(words[0])});
    const transrank::layout::BlockGrid grid(
        {transrank::layout::Distribution::even(4, 1), transrank::layout::Distribution::even(3, 1)},
        {.halo = {{.low = 1, .high = 1, .periodic = true}, {}}});
    const auto made = halo(0, 1, grid);
    const Route without(0, 1, 18, 18, {made.sends().begin(), made.sends().end()},
                        {made.receives().begin(), made.receives().end()});
    CHECK(load(path) == without);
    CHECK(made.shapes().source == Shape{6, 3});
    save(load(path), path);
    CHECK(load(path) == without);
}

TEST_CASE("nobody can have put a link where a route is written before it is renamed") {
    const Folder folder;
    flags_of_new_files.clear();
    save(example(), folder.path / "route");
    REQUIRE(flags_of_new_files.size() == 1);
    CHECK((flags_of_new_files.front() & O_EXCL) != 0);
}

TEST_CASE("a file cut anywhere is refused") {
    const Saved saved;
    const auto& [folder, path, whole] = saved;
    CHECK(refusal(path, "") == "is empty, not a route file; save it again");
    for (std::size_t size = 1; size < whole.size(); ++size) {
        CAPTURE(size);
        CHECK(refusal(path, whole.substr(0, size)).starts_with("is truncated"));
    }
    CHECK(refusal(path, whole + "x").starts_with("is truncated or damaged"));
    CHECK(refusal(path, whole + whole).starts_with("is truncated or damaged"));
    CHECK(refusal(path, whole) == "accepted");
}

TEST_CASE("a file altered anywhere is refused") {
    const Saved saved;
    const auto& [folder, path, whole] = saved;
    for (std::size_t at = 0; at < whole.size(); ++at) {
        for (const int difference : {1, 16, 128}) {
            CAPTURE(at);
            std::string altered = whole;
            altered[at] = static_cast<char>(altered[at] + difference);
            CHECK(refusal(path, altered) != "accepted");
        }
    }
}

TEST_CASE("a file that cannot be a route's is refused before memory is taken for all of it") {
    const Saved saved;
    const auto& [folder, path, whole] = saved;
    std::string turned = whole.substr(0, 16);
    std::reverse(turned.begin() + 8, turned.end());
    std::string later = whole;
    later[16] = 7;
    struct Case {
        std::string begin;
        std::string words;
    };
    for (const auto& [begin, words] : {Case{"", "is not a route file"},
                                       {"#!/bin/sh", "is not a route file"},
                                       {whole.substr(0, 8), "its byte order mark is invalid"},
                                       {turned, "of the other endianness"},
                                       {later, "has version 7"},
                                       {whole, "but was written with"}}) {
        CAPTURE(words);
        write(path, begin);
        std::filesystem::resize_file(path, std::uintmax_t{1} << 40U);
        const auto before = most_in_use = bytes_in_use;
        const auto found = testing::words_of<FileError>([&] { return load(path); });
        CHECK(found.find(words) != std::string::npos);
        CHECK(most_in_use - before < 65536);
    }
}

TEST_CASE("reading a route takes the memory of its file once, beside what the route itself takes") {
    const Folder folder;
    const auto path = folder.path / "long.route";
    Segments rows;
    for (std::int64_t i = 0; i < 50'000; ++i) {
        rows.push_back({.source = 2 * i, .destination = i, .length = 1});
    }
    save(Route(0, 2, 100'000, 50'000, {}, {Leg{.peer = 1, .segments = std::move(rows)}}), path);
    const auto before = most_in_use = bytes_in_use;
    CHECK(load(path).receives().size() == 1);
    CHECK(most_in_use - before < std::filesystem::file_size(path) * 3 / 2);
}

TEST_CASE("what is wrong with a file is told") {
    const Saved saved;
    const auto& [folder, path, whole] = saved;
    CHECK(refusal(path, "#!/bin/sh") == "is not a route file");
    std::string turned = whole;
    for (std::size_t word = 8; word + 8 <= turned.size(); word += 8) {
        std::reverse(turned.begin() + static_cast<std::ptrdiff_t>(word),
                     turned.begin() + static_cast<std::ptrdiff_t>(word + 8));
    }
    CHECK(refusal(path, turned) ==
          "was written on a machine of the other endianness; save it again on this one");
    Words words = encode(example());
    words[2] = 7;
    CHECK(refusal(path, bytes_of(words)) ==
          "has version 7 of the route file format, but this program reads versions 1 to 2; save it "
          "again");
    words[2] = 0;
    CHECK(refusal(path, bytes_of(words)).starts_with("has version 0 of the route file format"));
}

TEST_CASE("content that is no route is refused even where the checksum is right") {
    const Folder folder;
    const auto path = folder.path / "some.route";
    const Words good = encode(example());
    const auto with = [&](std::size_t at, std::uint64_t value) {
        Words words = good;
        words[at] = value;
        return refusal(path, bytes_of(words));
    };
    for (std::size_t at = 4; at + 1 < good.size(); ++at) {
        CAPTURE(at);
        CHECK(with(at, std::uint64_t{0} - 1).starts_with("is not a valid route file: "));
    }
    // Numbers of legs, of segments and of loops, which must not be believed before memory is asked
    // for.
    for (const std::size_t at : {8U, 9U, 10U, 13U, 18U, 20U, 22U, 24U, 28U}) {
        CAPTURE(at);
        CHECK(with(at, std::uint64_t{1} << 62U).find("more than it has room for") !=
              std::string::npos);
    }
    CHECK(with(24, 1) == "is not a valid route file: its counts do not match its length");
    CHECK(
        with(11, 5) ==
        "is not a valid route file: the shape of rank 1's source array does not have the 100 units "
        "of its extent");
    CHECK(with(17, 9).find("rank 1 sends to rank 9, but there are 4 ranks") != std::string::npos);
}
