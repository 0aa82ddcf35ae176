// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/redistribute/library.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "lab/study/redistribute/stored.hpp"
#include "transrank/redistribution/redistribution.hpp"
#include "transrank/transport/transport.hpp"

namespace transrank::lab::study::redistribute {
namespace {

using redistribution::Redistribution;

/// Between shared arrays, without a choice of its own.
struct NamedStores {
    std::string_view name;
    transport::Stores stores;
};
constexpr std::array stores_named{
    NamedStores{.name = "direct-cached", .stores = transport::Stores::cached},
    NamedStores{.name = "direct-streamed", .stores = transport::Stores::streamed}};

exchange::Options options_of(const std::string& way) {
    exchange::Options options;
    options.transport = way;
    for (const auto& [name, stores] : stores_named) {
        if (way == name) {
            options.transport =
                std::ranges::find_if(transport::all(), &transport::Entry::between_shared_arrays)
                    ->name;
            options.stores = stores;
        }
    }
    return options;
}

class Library final : public Stored {
public:
    Library(const measure::Case& point, const Setting& setting, const Arrays& arrays)
        : Stored(point, setting, arrays),
          comm_(setting.comm.handle()),
          options_(options_of(point.text("way"))) {
        store();
    }

    /// What the first runs find out, which stores are faster, is known before a sample is taken;
    /// found out in the state in which samples are taken.
    void settle() {
        constexpr int enough = 8;
        const bool finds_out = !stores() && options_.stores == transport::Stores::measured;
        for (int i = 0; finds_out && i < enough; ++i) {
            prepare();
            move();
        }
    }

protected:
    void store() override {
        redistribution_.emplace(comm_, task().source.layout, task().destination.layout);
        redistribution_->store(bundle(), options_);
    }
    void move() override { redistribution_->run(); }

private:
    MPI_Comm comm_;
    exchange::Options options_;
    std::optional<Redistribution> redistribution_;
};

}  // namespace

std::vector<std::string> library_ways() {
    std::vector<std::string> names{"auto"};
    for (const auto& entry : transport::all()) {
        if (!entry.within_rank) {
            names.emplace_back(entry.name);
        }
    }
    for (const auto& each : stores_named) {
        names.emplace_back(each.name);
    }
    return names;
}

std::unique_ptr<Bundle> make_library(const measure::Case& point, const Setting& setting,
                                     const Arrays& arrays) {
    auto made = std::make_unique<Library>(point, setting, arrays);
    made->settle();
    return made;
}

}  // namespace transrank::lab::study::redistribute
