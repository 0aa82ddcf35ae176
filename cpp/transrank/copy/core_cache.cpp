// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/copy/core_cache.hpp"

#include <algorithm>
#include <bit>
#include <exception>
#include <fstream>
#include <sched.h>
#include <string>
#include <system_error>
#include <unistd.h>

namespace transrank::copy {
namespace {

namespace fs = std::filesystem;

std::string word_in(const fs::path& path) {
    std::ifstream file(path);
    std::string word;
    file >> word;
    return word;
}

// `1024K`, `32M` or a number of bytes; 0 for anything else.
std::int64_t bytes_in(const std::string& size) {
    std::size_t end = 0;
    std::int64_t number = 0;
    try {
        number = std::stoll(size, &end);
    } catch (const std::exception&) {
        return 0;
    }
    const auto unit = size.substr(end);
    constexpr unsigned kilo = 10;
    constexpr unsigned mega = 20;
    const unsigned shift = unit == "K" ? kilo : unit == "M" ? mega : 0;
    return unit.empty() || shift != 0 ? number << shift : 0;
}

// Of a mask in hexadecimal digits, `00000000,0000000f`.
int bits_in(const std::string& mask) {
    int bits = 0;
    for (const char digit : mask) {
        const auto at = std::string("0123456789abcdef").find(digit);
        bits += at == std::string::npos ? 0 : std::popcount(at);
    }
    return bits;
}

}  // namespace

std::int64_t core_cache_bytes() noexcept {
    static const std::int64_t bytes = [] {
        constexpr std::int64_t usual = std::int64_t{1} << 20U;
        std::int64_t reported = 0;
#ifdef _SC_LEVEL2_CACHE_SIZE
        reported = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
        return reported > 0 ? reported : usual;
    }();
    return bytes;
}

std::int64_t cache_share_bytes(const fs::path& folder) {
    std::int64_t most = 0;
    std::error_code missing;
    for (const auto& cache : fs::directory_iterator(folder, missing)) {
        const auto sharers = bits_in(word_in(cache.path() / "shared_cpu_map"));
        if (sharers > 0 && word_in(cache.path() / "type") != "Instruction") {
            most = std::max(most, bytes_in(word_in(cache.path() / "size")) / sharers);
        }
    }
    return most;
}

std::int64_t core_cache_share_bytes() noexcept {
    static const std::int64_t bytes = [] {
        std::int64_t reported = 0;
        try {
            const auto core = "cpu" + std::to_string(sched_getcpu());
            reported = cache_share_bytes(fs::path("/sys/devices/system/cpu") / core / "cache");
        } catch (const std::exception&) {
            reported = 0;
        }
        return std::max(reported, core_cache_bytes());
    }();
    return bytes;
}

}  // namespace transrank::copy
