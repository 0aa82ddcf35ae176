// SPDX-License-Identifier: BSD-3-Clause
#include "lab/machine/domains.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>

#include "lab/text/numbers.hpp"

namespace transrank::lab::machine {
namespace {

std::string first_line(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

int package_of(int cpu, const std::filesystem::path& root) {
    const auto id = first_line(root / "sys/devices/system/cpu" / ("cpu" + std::to_string(cpu)) /
                               "topology/physical_package_id");
    return std::max(text::number_in<int>(id).value_or(0), 0);  // -1: not known
}

}  // namespace

std::vector<int> parse_cpu_list(std::string_view text) {
    std::vector<int> numbers;
    while (!text.empty()) {
        const auto word = text.substr(0, text.find(','));
        text.remove_prefix(std::min(word.size() + 1, text.size()));
        const auto dash = word.find('-');
        const auto first = text::number_in<int>(word.substr(0, dash));
        const auto last =
            dash == std::string_view::npos ? first : text::number_in<int>(word.substr(dash + 1));
        if (first && last) {
            for (int number = *first; number <= *last; ++number) {
                numbers.push_back(number);
            }
        }
    }
    return numbers;
}

std::vector<Domain> read_domains(const std::filesystem::path& root) {
    constexpr std::string_view prefix = "node";
    std::vector<Domain> domains;
    std::error_code missing;
    for (const auto& entry :
         std::filesystem::directory_iterator(root / "sys/devices/system/node", missing)) {
        const auto name = entry.path().filename().string();
        const auto number = name.starts_with(prefix)
                                ? text::number_in<int>(name.substr(prefix.size()))
                                : std::nullopt;
        if (!number) {
            continue;
        }
        auto cpus = parse_cpu_list(first_line(entry.path() / "cpulist"));
        if (!cpus.empty()) {
            const int package = package_of(cpus.front(), root);
            domains.push_back({.number = *number, .package = package, .cpus = std::move(cpus)});
        }
    }
    std::ranges::sort(domains, {}, &Domain::number);
    return domains;
}

int domain_of(std::string_view cpus, const std::vector<Domain>& domains) {
    if (domains.empty()) {
        return 0;
    }
    const auto wanted = parse_cpu_list(cpus);
    const auto holds_all = [&](const Domain& domain) {
        return !wanted.empty() && std::ranges::all_of(wanted, [&](int cpu) {
            return std::ranges::binary_search(domain.cpus, cpu);
        });
    };
    const auto found = std::ranges::find_if(domains, holds_all);
    return found == domains.end() ? -1 : found->number;
}

}  // namespace transrank::lab::machine
