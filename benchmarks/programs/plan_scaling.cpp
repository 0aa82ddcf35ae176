// SPDX-License-Identifier: BSD-3-Clause
// What a route occupies, and the most that making it has occupied at one time, by dimensions,
// blocks and number of ranks: one JSON line each. Every allocation of the process is counted.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <new>

#include "lab/study/plan_scaling/planned.hpp"
#include "lab/text/json.hpp"

namespace {

using transrank::lab::study::plan_scaling::Blocks;
using transrank::lab::study::plan_scaling::Planned;

// Each allocation begins with its length.
constexpr std::size_t header_bytes = alignof(std::max_align_t);
std::int64_t allocated = 0;
std::int64_t peak = 0;

void print(int dimensions, Blocks blocks, int ranks) {
    const Planned planned(dimensions, blocks, ranks);
    const std::int64_t before = allocated;
    peak = allocated;
    const auto route = planned.store(ranks / 2);
    transrank::lab::text::JsonWriter json;
    json.begin_object().key("dimensions").value(dimensions);
    json.key("blocks").value(blocks == Blocks::regular ? "regular" : "irregular");
    json.key("ranks").value(ranks);
    json.key("peak_bytes").value(peak - before);
    json.key("route_bytes")
        .value(transrank::lab::study::plan_scaling::bytes_of(route))
        .end_object();
    std::cout << json.text() << '\n';
}

}  // namespace

void* operator new(std::size_t bytes) {
    void* memory = std::malloc(bytes + header_bytes);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    *static_cast<std::size_t*>(memory) = bytes;
    allocated += static_cast<std::int64_t>(bytes);
    peak = std::max(peak, allocated);
    return static_cast<std::byte*>(memory) + header_bytes;
}

void operator delete(void* memory) noexcept {
    if (memory != nullptr) {
        void* whole = static_cast<std::byte*>(memory) - header_bytes;
        allocated -= static_cast<std::int64_t>(*static_cast<std::size_t*>(whole));
        std::free(whole);
    }
}

void operator delete(void* memory, std::size_t /*bytes*/) noexcept {
    operator delete(memory);
}

int main() {
    for (const int dimensions : {2, 3}) {
        for (const auto blocks : {Blocks::regular, Blocks::irregular}) {
            for (const int ranks : {4, 64, 2048, 131072, 1000000}) {
                print(dimensions, blocks, ranks);
            }
        }
    }
}
