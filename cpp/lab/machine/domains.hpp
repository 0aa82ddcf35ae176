// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace transrank::lab::machine {

/// A memory domain (NUMA node) of this host.
struct Domain {
    int number;             ///< as the kernel counts them
    int package;            ///< of its first CPU; 0 where it is not known
    std::vector<int> cpus;  ///< ascending; none in a domain of memory alone
};

/// The domains with CPUs, ascending by number, as sysfs below `root` shows them. Empty where it
/// does not: the memory is then one domain, 0.
[[nodiscard]] std::vector<Domain> read_domains(const std::filesystem::path& root = "/");

/// The domain that holds all CPUs of a kernel list such as `0-3,8`; -1 when they lie in several.
[[nodiscard]] int domain_of(std::string_view cpus, const std::vector<Domain>& domains);

/// The numbers of a kernel list; words that are no numbers are left out.
[[nodiscard]] std::vector<int> parse_cpu_list(std::string_view text);

}  // namespace transrank::lab::machine
