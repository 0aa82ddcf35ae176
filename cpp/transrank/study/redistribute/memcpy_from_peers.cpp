// SPDX-License-Identifier: BSD-3-Clause
// The least that a program with shared memory of its own does: a loop of memcpy over the runs that
// arrive, from where they lie in the arrays of their owners, between two flags. No rank may read
// before its peer has said that the sources are ready, and none may go on, and rewrite them, before
// its peers have said that they have read. What the library adds to this is its overhead.
#include <algorithm>
#include <cstring>
#include <vector>

#include "transrank/route/runs.hpp"
#include "transrank/study/open_arrays.hpp"
#include "transrank/study/redistribute/way.hpp"

namespace transrank::study::redistribute {
namespace {

struct Copy {
    std::byte* to;
    const std::byte* from;
    std::size_t bytes;
};

/// What arrives from one rank.
struct Arrival {
    int sender;
    std::vector<Copy> copies;
};

class FromPeers final : public Bundle {
public:
    FromPeers(const measure::Case& point, const Setting& setting, const Arrays& arrays)
        : Bundle(point, setting, arrays),
          route_(task().route(setting.comm.handle())),
          open_(setting.comm, route_, std::as_bytes(arrays.source)) {
        for (const auto& leg : route_.receives()) {
            arrivals_.push_back({.sender = leg.peer, .copies = copies_of(leg)});
        }
        // What needs no waiting goes first.
        std::ranges::partition(
            arrivals_, [&](int sender) { return sender == route_.rank(); }, &Arrival::sender);
    }

protected:
    void redistribute() override {
        ++epoch_;
        open_.publish_ready(epoch_);
        for (const auto& arrival : arrivals_) {
            open_.await_ready(arrival.sender, epoch_);
            for (const auto& each : arrival.copies) {
                std::memcpy(each.to, each.from, each.bytes);
            }
        }
        open_.publish_read(epoch_);
        open_.await_readers(epoch_);
    }

private:
    [[nodiscard]] std::vector<Copy> copies_of(const route::Leg& leg) const {
        const auto own = std::as_writable_bytes(arrays().destination);
        const auto theirs = open_.of(leg.peer);
        std::vector<Copy> copies;
        for (std::size_t field = 0; field < fields; ++field) {
            auto* const to = own.data() + (field * (own.size() / fields));
            const auto* const from = theirs.data() + (field * (theirs.size() / fields));
            route::for_each_run(
                leg, [&](std::int64_t source, std::int64_t destination, std::int64_t length) {
                    const auto bytes = [](std::int64_t units) {
                        return static_cast<std::size_t>(units) * sizeof(double);
                    };
                    copies.push_back({.to = to + bytes(destination),
                                      .from = from + bytes(source),
                                      .bytes = bytes(length)});
                });
        }
        return copies;
    }

    route::Route route_;
    OpenArrays open_;
    std::vector<Arrival> arrivals_;
    std::uint64_t epoch_ = 0;
};

}  // namespace

Way memcpy_from_peers() {
    return {.name = "memcpy-from-peers",
            .summary = "the runs that arrive, each by memcpy from its owner's array, between flags",
            .floor = false,
            .shared = true,
            .make = [](const measure::Case& point, const Setting& setting,
                       const Arrays& arrays) -> std::unique_ptr<Bundle> {
                return std::make_unique<FromPeers>(point, setting, arrays);
            }};
}

}  // namespace transrank::study::redistribute
