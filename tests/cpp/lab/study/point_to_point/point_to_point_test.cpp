// SPDX-License-Identifier: BSD-3-Clause
// ranks: 2 3 4
#include "lab/study/point_to_point/window.hpp"
#include "lab/study/study.hpp"
#include "lab/text/sizes.hpp"
#include "world.hpp"

using namespace transrank;
using namespace transrank::lab;
using measure::CacheMode;
using testing::world;

namespace {

std::vector<measure::Case> cases_of(std::string_view study, study::Selection selection, int ranks,
                                    CacheMode cache = CacheMode::warm) {
    return study::select(study::find(study), selection, ranks, cache, std::int64_t{1} << 30);
}

study::Selection of_size(std::int64_t bytes, const std::string& axis = "",
                         const std::vector<std::string>& values = {}) {
    study::Selection selection;
    selection.sizes = {bytes};
    if (!axis.empty()) {
        selection.axes[axis] = values;
    }
    return selection;
}

}  // namespace

TEST_CASE("a window has one buffer, and sizes as OSU's") {
    const auto one_way = cases_of("bandwidth", {}, 2);
    CHECK(one_way.front().id() == "bandwidth/64/1B");
    CHECK(one_way.back().id() == "bandwidth/64/4MiB");
    CHECK(one_way.size() == 23);
    for (const auto& point : one_way) {
        CHECK(point.send_bytes == point.number("bytes"));
    }
    CHECK(cases_of("message-rate", of_size(1024), 8).front().bytes_counted == 4 * 1024);
}

TEST_CASE("outside warm caches each message of a window has memory of its own") {
    for (const auto cache : {CacheMode::rewritten, CacheMode::cold}) {
        for (const std::int64_t bytes : {1, 256, 257, 1 << 20}) {
            const auto point =
                cases_of("bandwidth", of_size(bytes, "window", {"16"}), 2, cache).front();
            CHECK(point.send_bytes >= 16 * bytes);
            CHECK(point.send_bytes <= 16 * (bytes + 256));
        }
    }
}

TEST_CASE("so many messages are verified as have memory of their own") {
    const auto active = world().split(world().rank() < 2 ? 0 : 1);
    for (const auto cache : {CacheMode::warm, CacheMode::rewritten, CacheMode::cold}) {
        CAPTURE(measure::name(cache));
        for (const std::string study : {"bandwidth", "bidirectional-bandwidth"}) {
            CAPTURE(study);
            const auto point = cases_of(study, of_size(100, "window", {"16"}), 2, cache).front();
            const measure::Workspace workspace(point.send_bytes, point.receive_bytes, cache);
            if (world().rank() < 2) {
                const auto operation = study::find(study).prepare(point, {active, workspace, 100});
                operation->fill(9);
                operation->run(2);
                const bool receives = world().rank() == 1 || study != "bandwidth";
                const std::uint64_t expected = cache == CacheMode::warm ? 100 : 2 * 16 * 100;
                CHECK(operation->verify(2) == (receives ? expected : 0));
            }
        }
    }
}

TEST_CASE("pairs are all there are by default, and equal counts are one case") {
    const auto ids = [](const std::vector<std::string>& pairs, int ranks) {
        std::vector<std::string> known;
        auto selection = of_size(8);
        if (!pairs.empty()) {
            selection.axes["pairs"] = pairs;
        }
        for (const auto& point : cases_of("message-rate", selection, ranks)) {
            known.push_back(point.id() + (point.skip_reason.empty() ? "" : " skipped"));
        }
        return known;
    };
    CHECK(ids({}, 2) == std::vector<std::string>{"message-rate/1/8B"});
    CHECK(ids({}, 5) == std::vector<std::string>{"message-rate/2/8B"});
    CHECK(ids({"1", "all"}, 2) == std::vector<std::string>{"message-rate/1/8B"});
    CHECK(ids({"1", "all", "3"}, 4) == std::vector<std::string>{"message-rate/2/8B",
                                                                "message-rate/1/8B",
                                                                "message-rate/3/8B skipped"});
}

namespace {

/// How many ranks take part in a case of 64 B, and how many bytes all of them verify.
struct Taken {
    std::int64_t ranks;
    std::int64_t bytes;
};

Taken take(const std::string& study, const measure::Case& point) {
    const measure::Workspace workspace(point.send_bytes, point.receive_bytes, CacheMode::warm);
    const auto operation = study::find(study).prepare(point, {world(), workspace, 64});
    operation->fill(3);
    operation->run(4);
    std::array<std::int64_t, 2> sums{operation->takes_part() ? 1 : 0,
                                     static_cast<std::int64_t>(operation->verify(4))};
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return {.ranks = sums[0], .bytes = sums[1]};
}

}  // namespace

TEST_CASE("both ranks of each pair take part, and the others stay idle") {
    for (const std::string study : {"message-rate", "multi-pingpong"}) {
        for (const std::string pairs : {"1", "2", "all"}) {
            CAPTURE(study);
            CAPTURE(pairs);
            const auto point = cases_of(study, of_size(64, "pairs", {pairs}), world().size())[0];
            CHECK(point.bytes_counted == 64.0 * static_cast<double>(point.number("pairs")));
            if (!point.skip_reason.empty()) {
                continue;
            }
            const auto taken = take(study, point);
            CHECK(taken.ranks == 2 * point.number("pairs"));
            // One way, and both ways.
            const int directions = study == "message-rate" ? 1 : 2;
            CHECK(taken.bytes == directions * 64 * point.number("pairs"));
        }
    }
}

TEST_CASE("a fan has a window from or to each peer, and each is verified") {
    for (const std::string direction : {"in", "out"}) {
        for (const std::string peers : {"1", "2", "all"}) {
            auto selection = of_size(64, "peers", {peers});
            selection.axes["direction"] = {direction};
            const auto point = cases_of("fan", selection, world().size()).front();
            CAPTURE(point.id());
            if (!point.skip_reason.empty()) {
                CHECK(point.skip_reason == "2 peers need 3 ranks, the launch has 2");
                continue;
            }
            const auto taken = take("fan", point);
            CHECK(taken.ranks == 1 + point.number("peers"));
            CHECK(taken.bytes == 64 * point.number("peers"));
            CHECK(point.bytes_counted == 64.0 * static_cast<double>(point.number("peers")));
        }
    }
    CHECK(cases_of("fan", of_size(8, "peers", {"all", "3"}), 4).size() == 2);
}

TEST_CASE("the send modes are compared at 47 sizes, evenly spaced on a logarithmic axis") {
    std::set<std::int64_t> expected;
    for (int i = 0; i <= 49; ++i) {
        expected.insert(std::llround(std::pow(10.0, 5.0 * i / 49.0)));
    }
    const auto sizes = text::parse_sizes(study::find("send-modes").sizes);
    CHECK(sizes.size() == 47);
    CHECK(sizes.front() == 1);
    CHECK(sizes.back() == 100'000);
    CHECK(sizes == std::vector<std::int64_t>(expected.begin(), expected.end()));
}

TEST_CASE("every routine is repeated a thousand times at least, in one group with the others") {
    const auto points = cases_of("send-modes", {}, 2);
    CHECK(points.size() == 6 * 47);
    for (const auto& point : points) {
        CAPTURE(point.id());
        const bool both_ways = point.text("routine") == "sendrecv";
        CHECK(point.operations_per_repetition == (both_ways ? 1 : 2));
        CHECK(point.least_operations == 1000 * point.operations_per_repetition);
        CHECK(point.group == "send-modes");
        CHECK(point.clocks == measure::Clocks::root);
        CHECK(point.bytes_counted == static_cast<double>(point.number("bytes")));
    }
}

TEST_CASE("a message that the attached buffer cannot hold skips only the buffered send") {
    study::Selection selection;
    selection.sizes = {std::int64_t{1} << 30};
    for (const auto& point : study::select(study::find("send-modes"), selection, 2,
                                           measure::CacheMode::warm, std::int64_t{1} << 33)) {
        CAPTURE(point.id());
        CHECK(point.skip_reason.empty() == (point.text("routine") != "bsend"));
    }
}
