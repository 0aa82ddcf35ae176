// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/memory/doorbell.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <new>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "transrank/memory/shared_segment.hpp"

using transrank::memory::Doorbell;
using transrank::memory::MappedSegment;
using transrank::memory::SharedSegment;

namespace {

/// A sleep that nobody ends takes longer than any test may.
constexpr double for_ever = 30;

struct Shared {
    Doorbell doorbell;
    std::atomic<int> news{0};
    std::atomic<int> seen{0};
};

}  // namespace

TEST_CASE("no ring is lost between two processes") {
    const SharedSegment segment(sizeof(Shared));
    auto* const own = new (segment.bytes().data()) Shared;
    constexpr int rounds = 5000;
    const auto child = fork();
    if (child == 0) {
        const MappedSegment mapped(segment.handle());
        auto* const shared = std::launder(reinterpret_cast<Shared*>(mapped.bytes().data()));
        for (int round = 1; round <= rounds; ++round) {
            while (shared->news.load() < round) {
                shared->doorbell.sleep(for_ever, [&] { return shared->news.load() >= round; });
            }
            shared->seen.store(round);
        }
        _exit(0);
    }
    const auto begin = std::chrono::steady_clock::now();
    for (int round = 1; round <= rounds; ++round) {
        own->news.store(round);
        own->doorbell.ring();
        while (own->seen.load() < round) {
            std::this_thread::yield();
        }
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::duration<double>(for_ever));
}

TEST_CASE("nobody sleeps who has news already, and all who sleep are woken") {
    Doorbell doorbell;
    doorbell.sleep(for_ever, [] { return true; });
    std::atomic<bool> news = false;
    std::vector<std::thread> sleepers;
    for (int i = 0; i < 3; ++i) {
        sleepers.emplace_back([&] {
            while (!news) {
                doorbell.sleep(for_ever, [&] { return news.load(); });
            }
        });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    news = true;
    doorbell.ring();
    for (auto& each : sleepers) {
        each.join();
    }
}
