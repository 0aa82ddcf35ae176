// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/copy/core_cache.hpp"

#include "testing.hpp"

using namespace transrank::copy;

namespace {

/// The caches of a core as /sys describes them, in a folder of the test's own.
class Caches {
public:
    void add(const std::string& type, const std::string& size, const std::string& sharers) {
        const auto cache = "index" + std::to_string(caches_++);
        folder_.write(cache + "/type", type + '\n');
        folder_.write(cache + "/size", size + '\n');
        folder_.write(cache + "/shared_cpu_map", sharers + '\n');
    }
    [[nodiscard]] std::int64_t share() const { return cache_share_bytes(folder_.path); }

private:
    testing::Folder folder_;
    int caches_ = 0;
};

constexpr std::int64_t kib = 1024;

}  // namespace

TEST_CASE("a core's share of the caches is the most that it has of any") {
    Caches caches;
    CHECK(caches.share() == 0);
    caches.add("Data", "48K", "1");
    caches.add("Instruction", "4096K", "1");
    CHECK(caches.share() == 48 * kib);
    caches.add("Unified", "2048K", "00000000,00000101");
    CHECK(caches.share() == 1024 * kib);
    caches.add("Unified", "32M", "ff,000000f0");
    CHECK(caches.share() == 32 * kib * kib / 12);
    caches.add("Unified", "1G", "00000003");
    caches.add("Unified", "64M", "");
    caches.add("Unified", "many", "1");
    CHECK(caches.share() == 32 * kib * kib / 12);
}

TEST_CASE("of all caches a core has at least its own") {
    CHECK(core_cache_bytes() > 0);
    CHECK(core_cache_share_bytes() >= core_cache_bytes());
    CHECK(cache_share_bytes("/nonexistent") == 0);
}
