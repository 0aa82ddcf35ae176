// SPDX-License-Identifier: BSD-3-Clause
#include "lab/text/sizes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <stdexcept>

namespace transrank::lab::text {
namespace {

struct Unit {
    std::string_view name;
    std::int64_t bytes;
};
constexpr std::array units{
    Unit{.name = "", .bytes = 1},
    Unit{.name = "B", .bytes = 1},
    Unit{.name = "KiB", .bytes = std::int64_t{1} << 10},
    Unit{.name = "MiB", .bytes = std::int64_t{1} << 20},
    Unit{.name = "GiB", .bytes = std::int64_t{1} << 30},
    Unit{.name = "kB", .bytes = 1'000},
    Unit{.name = "MB", .bytes = 1'000'000},
    Unit{.name = "GB", .bytes = 1'000'000'000},
};

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
    throw std::invalid_argument("'" + std::string(text) + "' is not a size: " + why);
}

const Unit& find_unit(std::string_view text, std::string_view name) {
    const auto* unit = std::ranges::find(units, name, &Unit::name);
    if (unit == units.end()) {
        if (name.size() == 1 && std::string_view("KMGkmg").find(name) != std::string_view::npos) {
            const std::string number(text.substr(0, text.size() - 1));
            const std::string prefix(1, name == "k" ? 'K' : static_cast<char>(name[0] & ~0x20));
            const std::string decimal = prefix == "K" ? "k" : prefix;
            refuse(text, "say " + number + prefix + "iB (powers of 1024) or " + number + decimal +
                             "B (powers of 1000)");
        }
        refuse(text, "write a number and B, KiB, MiB, GiB, kB, MB or GB, or a number of bytes");
    }
    return *unit;
}

std::optional<std::int64_t> product(std::int64_t left, std::int64_t right) {
    if (left != 0 && right > std::numeric_limits<std::int64_t>::max() / left) {
        return std::nullopt;
    }
    return left * right;
}

void append_range(std::string_view item, std::vector<std::int64_t>& sizes) {
    std::string_view bounds = item;
    std::int64_t factor = 2;
    if (const auto colon = item.find(':'); colon != std::string_view::npos) {
        bounds = item.substr(0, colon);
        const std::string_view step = item.substr(colon + 1);
        const char* end = step.data() + step.size();
        const bool is_factor = step.size() > 1 && step[0] == 'x';
        if (!is_factor || std::from_chars(step.data() + 1, end, factor).ptr != end || factor < 2) {
            refuse(item, "the step after ':' is a factor such as x4");
        }
    }
    const auto dots = bounds.find("..");
    const std::int64_t first = parse_size(bounds.substr(0, dots));
    const std::int64_t last = parse_size(bounds.substr(dots + 2));
    if (first > last) {
        refuse(item, "a range goes from the smaller to the larger size");
    }
    if (first == 0) {
        sizes.push_back(0);
    }
    for (std::int64_t size = std::max<std::int64_t>(first, 1); size <= last; size *= factor) {
        sizes.push_back(size);
        if (size > last / factor) {
            break;
        }
    }
}

}  // namespace

std::int64_t parse_size(std::string_view text) {
    std::int64_t number = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || number < 0) {
        refuse(text, "it starts with no whole number of at least 0 that fits 64 bits");
    }
    const std::string_view name(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
    const auto bytes = product(number, find_unit(text, name).bytes);
    if (!bytes) {
        refuse(text, "it does not fit in 64 bits");
    }
    return *bytes;
}

std::vector<std::int64_t> parse_sizes(std::string_view text) {
    std::vector<std::int64_t> sizes;
    for (const auto& item : split_list(text)) {
        if (item.find("..") != std::string::npos) {
            append_range(item, sizes);
        } else {
            sizes.push_back(parse_size(item));
        }
    }
    std::ranges::sort(sizes);
    const auto repeated = std::ranges::unique(sizes);
    sizes.erase(repeated.begin(), repeated.end());
    return sizes;
}

std::string format_size(std::int64_t bytes) {
    for (const std::string_view name : {"GiB", "MiB", "KiB"}) {
        const auto& unit = *std::ranges::find(units, name, &Unit::name);
        if (bytes != 0 && bytes % unit.bytes == 0) {
            return std::to_string(bytes / unit.bytes) + std::string(name);
        }
    }
    return std::to_string(bytes) + "B";
}

std::vector<std::string> split_list(std::string_view text) {
    std::vector<std::string> items;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        items.emplace_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return items;
}

}  // namespace transrank::lab::text
