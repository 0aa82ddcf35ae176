// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/study/redistribute/library.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "transrank/redistribution/redistribution.hpp"
#include "transrank/transport/transport.hpp"

namespace transrank::study::redistribute {
namespace {

using redistribution::Mode;
using redistribution::Options;
using redistribution::Packing;
using redistribution::Redistribution;
using Together = redistribution::Bundle;

/// shared-direct without a choice of its own.
struct NamedStores {
    std::string_view name;
    transport::Stores stores;
};
constexpr std::array stores_named{
    NamedStores{.name = "direct-cached", .stores = transport::Stores::cached},
    NamedStores{.name = "direct-streamed", .stores = transport::Stores::streamed}};

constexpr std::array modes{Mode::async, Mode::sync};
constexpr std::array packings{Packing::per_peer, Packing::per_run, Packing::none};
constexpr std::array bundles{Together::together, Together::per_field};

std::string text(const Options& options) {
    return std::string(name(options.mode)) + "-" + std::string(name(options.packing)) + "-" +
           std::string(name(options.bundle));
}

std::vector<Options> combinations() {
    std::vector<Options> all;
    for (const auto mode : modes) {
        for (const auto packing : packings) {
            for (const auto bundle : bundles) {
                all.push_back({.mode = mode, .packing = packing, .bundle = bundle});
            }
        }
    }
    return all;
}

/// Whether it differs in one option at most from what ESMF does by default.
bool is_usual(const Options& options) {
    const int differing = static_cast<int>(options.mode != modes.front()) +
                          static_cast<int>(options.packing != packings.front()) +
                          static_cast<int>(options.bundle != bundles.front());
    return differing <= 1;
}

class Run : public Bundle {
public:
    Run(const measure::Case& point, const Setting& setting, const Arrays& arrays)
        : Bundle(point, setting, arrays),
          comm_(setting.comm.handle()),
          options_(options_of(point.text("way")).value()),
          redistribution_(task().source.layout, task().destination.layout) {
        store();
    }

    /// What the first runs find out, which stores are faster, is known before a sample is taken;
    /// found out in the state in which samples are taken.
    void settle() {
        constexpr int enough = 8;
        const bool finds_out = options_.stores == transport::Stores::measured &&
                               !redistribution::asks_for_messages(options_);
        for (int i = 0; finds_out && i < enough; ++i) {
            prepare();
            redistribution_.run();
        }
    }

protected:
    void store() { redistribution_.store(comm_, bundle(), options_); }
    void redistribute() override { redistribution_.run(); }

private:
    MPI_Comm comm_;
    Options options_;
    Redistribution redistribution_;
};

class Store final : public Run {
public:
    using Run::Run;

    /// What was stored last is tried.
    std::uint64_t verify(std::int64_t repetitions) override {
        Run::redistribute();
        return Run::verify(repetitions);
    }

protected:
    void redistribute() override { store(); }
};

std::vector<std::string> combinations_that(bool usual) {
    std::vector<std::string> names;
    for (const auto& each : combinations()) {
        if (is_usual(each) == usual) {
            names.push_back(text(each));
        }
    }
    return names;
}

}  // namespace

std::vector<std::string> library_ways() {
    std::vector<std::string> names{"auto"};
    for (const auto& entry : transport::all()) {
        if (entry.name != "self-copy") {
            names.emplace_back(entry.name);
        }
    }
    for (const auto& each : stores_named) {
        names.emplace_back(each.name);
    }
    std::ranges::move(combinations_that(true), std::back_inserter(names));
    return names;
}

std::vector<std::string> further_library_ways() {
    return combinations_that(false);
}

std::optional<Options> options_of(std::string_view way) {
    for (auto& each : combinations()) {
        if (text(each) == way) {
            return each;
        }
    }
    const auto names = library_ways();
    if (std::ranges::find(names, way) == names.end()) {
        return std::nullopt;
    }
    Options options;
    options.transport = way;
    for (const auto& [name, stores] : stores_named) {
        if (way == name) {
            options.transport = "shared-direct";
            options.stores = stores;
        }
    }
    return options;
}

std::unique_ptr<Bundle> make_run(const measure::Case& point, const Setting& setting,
                                 const Arrays& arrays) {
    auto made = std::make_unique<Run>(point, setting, arrays);
    made->settle();
    return made;
}

std::unique_ptr<Bundle> make_store(const measure::Case& point, const Setting& setting,
                                   const Arrays& arrays) {
    return std::make_unique<Store>(point, setting, arrays);
}

}  // namespace transrank::study::redistribute
