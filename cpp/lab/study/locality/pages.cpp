// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/locality/pages.hpp"

#include <algorithm>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace transrank::lab::study::locality {

std::map<int, int> pages_by_domain(std::span<const std::byte> memory, std::size_t most) {
    const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t pages = (memory.size() + page_bytes - 1) / page_bytes;
    const std::size_t looked_at = std::min(pages, most);
    std::vector<void*> addresses;
    for (std::size_t i = 0; i < looked_at; ++i) {
        const auto* page = memory.data() + (i * pages / looked_at * page_bytes);
        addresses.push_back(const_cast<std::byte*>(page));  // move_pages only asks here
    }
    std::vector<int> domains(looked_at, -1);
    // A kernel built without NUMA refuses the call; containers may forbid it.
    if (syscall(SYS_move_pages, 0, looked_at, addresses.data(), nullptr, domains.data(), 0) != 0) {
        return {{-1, static_cast<int>(looked_at)}};
    }
    std::map<int, int> found;
    for (const int domain : domains) {
        ++found[std::max(domain, -1)];
    }
    return found;
}

int main_domain(const std::map<int, int>& pages) {
    const auto most =
        std::ranges::max_element(pages, {}, [](const auto& entry) { return entry.second; });
    return most == pages.end() ? -1 : most->first;
}

}  // namespace transrank::lab::study::locality
