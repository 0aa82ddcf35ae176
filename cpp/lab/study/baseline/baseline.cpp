// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/baseline/baseline.hpp"

#include <algorithm>
#include <iterator>

#include "lab/study/baseline/memory_copies.hpp"
#include "lab/study/named.hpp"
#include "transrank/exchange/exchange.hpp"
#include "transrank/transport/transport.hpp"

namespace transrank::lab::study::baseline {
namespace {

class Exchanged final : public Mover {
public:
    Exchanged(std::string_view transport, Task given)
        : Mover(std::move(given)),
          exchange_(route(), task().comm.handle(), task().fields, options(transport)) {}

    void start() override { exchange_.start(); }
    void finish() override { exchange_.wait(); }

private:
    static exchange::Options options(std::string_view transport) {
        exchange::Options options;
        options.transport = transport;
        return options;
    }

    exchange::Exchange exchange_;
};

}  // namespace

std::span<const Entry> all() {
    static const auto table = [] {
        std::vector<Entry> entries;
        for (const auto& kind : {copies(), from_peers(), messages(), collectives(), puts()}) {
            std::ranges::copy(kind, std::back_inserter(entries));
        }
        return entries;
    }();
    return table;
}

const Entry* find(std::string_view name) {
    return find_named(all(), name);
}

std::vector<int> peers_of(std::span<const route::Leg> legs) {
    std::vector<int> ranks;
    std::ranges::transform(legs, std::back_inserter(ranks), &route::Leg::peer);
    return ranks;
}

std::vector<std::string> others_than(std::span<const std::string_view> chosen,
                                     bool (*fits)(const Entry& entry)) {
    std::vector<std::string> names;
    for (const auto& entry : all()) {
        if (std::ranges::find(chosen, entry.name) == chosen.end() && fits(entry)) {
            names.emplace_back(entry.name);
        }
    }
    return names;
}

std::vector<std::string> transports() {
    std::vector<std::string> names;
    for (const auto& entry : transport::all()) {
        if (entry.reach != transport::Reach::itself) {
            names.emplace_back(entry.name);
        }
    }
    return names;
}

std::string reason_against(std::string_view name) {
    return name == "nontemporal" && nontemporal_copy() == nullptr
               ? "no stores past the caches are known for this processor"
               : "";
}

std::unique_ptr<Mover> make(std::string_view name, Task task) {
    const auto* entry = find(name);
    return entry != nullptr ? entry->make(std::move(task))
                            : std::make_unique<Exchanged>(name, std::move(task));
}

}  // namespace transrank::lab::study::baseline
