// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/locality/assignment.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "lab/text/numbers.hpp"

namespace transrank::lab::study::locality {
namespace {

constexpr std::string_view away = "away-";

/// Packages with their domains, domains with their workers, all ascending.
struct Node {
    std::map<int, std::vector<int>> domains_of;  // by package
    std::map<int, std::vector<int>> workers_of;  // by domain
    std::map<int, int> package_of;               // by domain
};

Node arrange(const std::vector<Seat>& seats) {
    Node node;
    for (std::size_t worker = 0; worker < seats.size(); ++worker) {
        node.workers_of[seats[worker].domain].push_back(static_cast<int>(worker));
        node.package_of.emplace(seats[worker].domain, seats[worker].package);
    }
    for (const auto& [domain, package] : node.package_of) {
        node.domains_of[package].push_back(domain);
    }
    return node;
}

std::size_t place_in_package(const Node& node, int domain) {
    const auto& domains = node.domains_of.at(node.package_of.at(domain));
    return static_cast<std::size_t>(std::ranges::find(domains, domain) - domains.begin());
}

/// The domain over a link from `domain`; none where the node has no such. Packages and places are
/// paired 0-1, 2-3 and so on, so that two domains always swap.
std::optional<int> partner(const Node& node, int domain, Link link) {
    const auto own_package = node.domains_of.find(node.package_of.at(domain));
    auto package = static_cast<std::size_t>(std::distance(node.domains_of.begin(), own_package));
    std::size_t place = place_in_package(node, domain);
    if (link == Link::counterpart || link == Link::diagonal) {
        package ^= 1U;
    }
    if (link == Link::neighbor || link == Link::diagonal) {
        place ^= 1U;
    }
    if (package >= node.domains_of.size()) {
        return std::nullopt;
    }
    const auto& domains =
        std::next(node.domains_of.begin(), static_cast<std::ptrdiff_t>(package))->second;
    return place < domains.size() ? std::optional(domains[place]) : std::nullopt;
}

std::vector<int> exchanged(const Node& node, std::vector<int> data_of) {
    for (const auto& [domain, workers] : node.workers_of) {
        std::vector<int> partners;
        for (const auto link : {Link::neighbor, Link::counterpart, Link::diagonal}) {
            if (const auto other = partner(node, domain, link)) {
                partners.push_back(*other);
            }
        }
        const std::size_t half = (workers.size() + 1) / 2;
        for (std::size_t position = half; position < workers.size() && !partners.empty();
             ++position) {
            const auto& others = node.workers_of.at(partners[(position - half) % partners.size()]);
            // Domains of another size would not swap: the partner would keep its own.
            if (others.size() == workers.size()) {
                data_of[static_cast<std::size_t>(workers[position])] = others[position];
            }
        }
    }
    return data_of;
}

std::vector<int> farther(const Node& node, std::vector<int> data_of, std::size_t steps) {
    std::vector<const std::vector<int>*> domains;
    for (const auto& [domain, workers] : node.workers_of) {
        domains.push_back(&workers);
    }
    if (steps >= domains.size()) {
        throw std::invalid_argument("the ranks of this node are in " +
                                    std::to_string(domains.size()) + " memory domains: none is " +
                                    std::to_string(steps) + " farther");
    }
    for (const auto* workers : domains) {
        if (workers->size() != domains.front()->size()) {
            throw std::invalid_argument(
                "the memory domains of this node have different numbers of ranks");
        }
    }
    for (std::size_t domain = 0; domain < domains.size(); ++domain) {
        const auto& others = *domains[(domain + steps) % domains.size()];
        for (std::size_t position = 0; position < others.size(); ++position) {
            data_of[static_cast<std::size_t>((*domains[domain])[position])] = others[position];
        }
    }
    return data_of;
}

}  // namespace

std::string_view name(Link link) {
    constexpr std::array<std::string_view, 4> names{"own", "neighbor", "counterpart", "diagonal"};
    return names[static_cast<std::size_t>(link)];
}

Link link_between(int domain, int other, const std::vector<Seat>& seats) {
    if (domain == other) {
        return Link::own;
    }
    const Node node = arrange(seats);
    if (node.package_of.at(domain) == node.package_of.at(other)) {
        return Link::neighbor;
    }
    return place_in_package(node, domain) == place_in_package(node, other) ? Link::counterpart
                                                                           : Link::diagonal;
}

std::vector<int> assign(std::string_view arrangement, const std::vector<Seat>& seats) {
    std::vector<int> own(seats.size());
    std::iota(own.begin(), own.end(), 0);
    if (arrangement == "own") {
        return own;
    }
    const Node node = arrange(seats);
    if (node.workers_of.size() < 2) {
        throw std::invalid_argument(
            "the ranks of this node are in one memory domain: no memory is farther than its own");
    }
    if (arrangement == "exchanged") {
        return exchanged(node, own);
    }
    const auto digits = arrangement.starts_with(away) ? arrangement.substr(away.size()) : "";
    const auto steps = text::number_in<std::size_t>(digits).value_or(0);
    if (steps == 0) {
        throw std::invalid_argument("unknown arrangement '" + std::string(arrangement) + "'");
    }
    return farther(node, own, steps);
}

}  // namespace transrank::lab::study::locality
