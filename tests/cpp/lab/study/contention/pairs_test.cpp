// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1
#include "lab/study/contention/pairs.hpp"

#include "lab/study/study.hpp"
#include "testing.hpp"

using namespace transrank;
using namespace transrank::lab;
using namespace transrank::lab::study::contention;

namespace {

std::vector<std::string> texts(std::string_view keyword, int domains) {
    std::vector<std::string> found;
    for (const auto& pairs : expand(keyword, domains)) {
        found.push_back(format_pairs(pairs));
    }
    return found;
}

}  // namespace

TEST_CASE("the pairs of two XT6 nodes are those of the published figure") {
    CHECK(texts("none", 8) == std::vector<std::string>{"none"});
    CHECK(texts("each", 8) == std::vector<std::string>{"0-4", "1-5", "2-6", "3-7"});
    CHECK(texts("all", 8) == std::vector<std::string>{"0-4+1-5+2-6+3-7"});
    CHECK(texts("inside", 6) == std::vector<std::string>{"0-1+3-4", "0-2+3-5", "1-2+4-5"});
    CHECK(texts("inside", 2).empty());
    CHECK(texts("matrix", 3) == std::vector<std::string>{"0-1", "0-2", "1-2"});
    CHECK(texts("0-5+2-3", 8) == std::vector<std::string>{"0-5+2-3"});
}

TEST_CASE("rank k = ranks per domain x domain + position meets the one at its position") {
    const auto pairs = parse_pairs("1-5");
    for (int rank = 0; rank < 48; ++rank) {
        const int expected = rank / 6 == 1 ? rank + 24 : rank / 6 == 5 ? rank - 24 : rank;
        CHECK(partner_of(rank, pairs, 6) == expected);
    }
    CHECK(partner_of(7, {}, 6) == 7);
}

TEST_CASE("partners are each other's, whatever the pairs") {
    for (const auto& pairs : expand("matrix", 5)) {
        for (int rank = 0; rank < 15; ++rank) {
            CHECK(partner_of(partner_of(rank, pairs, 3), pairs, 3) == rank);
        }
    }
}

TEST_CASE("what names no pairs is refused") {
    for (const std::string text : {"", "0", "0-", "-1", "0-1+", "0-1,2-3", "a-b", "0-1 "}) {
        CAPTURE(text);
        CHECK(!are_pairs(text));
        CHECK_THROWS_AS((void)parse_pairs(text), std::invalid_argument);
    }
}

TEST_CASE("pairs that cannot be had say why") {
    CHECK(reason_against(parse_pairs("0-1+2-3"), 4).empty());
    CHECK(reason_against(parse_pairs("0-4"), 4) == "there is no domain 4: the ranks are 4 domains");
    CHECK(reason_against(parse_pairs("0-1+1-2"), 4) ==
          "domain 1 is in more than one pair of 0-1+1-2");
    CHECK(reason_against(parse_pairs("2-2"), 4) == "domain 2 is in more than one pair of 2-2");
}

TEST_CASE("the cases of the study are the control, each pair and all of them, or say why not") {
    const auto ids = [](int ranks, const std::string& domain_ranks) {
        study::Selection selection;
        selection.sizes = {1024};
        selection.axes["domain_ranks"] = {domain_ranks};
        std::vector<std::string> found;
        for (const auto& point : study::select(study::find("contention"), selection, ranks,
                                               measure::CacheMode::warm, 1 << 20)) {
            found.push_back(point.id() + (point.skip_reason.empty() ? "" : ": ") +
                            point.skip_reason);
        }
        return found;
    };
    CHECK(ids(24, "6") == std::vector<std::string>{"contention/6/none/1KiB",
                                                   "contention/6/0-1+2-3/1KiB",
                                                   "contention/6/0-2/1KiB", "contention/6/1-3/1KiB",
                                                   "contention/6/0-2+1-3/1KiB"});
    CHECK(ids(6, "2")[1] == "contention/2/0-1/1KiB: 3 domains have no two halves");
    CHECK(ids(6, "4")[0] == "contention/4/none/1KiB: 6 ranks are no whole number of domains of 4");
}

TEST_CASE("without sizes messages are the source's, or as large as the memory lets them be") {
    const auto bytes = [](std::int64_t memory) {
        study::Selection selection;
        selection.axes["traffic"] = {"none"};
        const auto cases = study::select(study::find("contention"), selection, 4,
                                         measure::CacheMode::warm, memory);
        REQUIRE(cases.size() == 1);
        CHECK(cases[0].control);
        CHECK(cases[0].skip_reason.empty() == (memory >= std::int64_t{2} << 20U));
        return cases[0].number("bytes");
    };
    CHECK(bytes(std::int64_t{8} << 30U) == std::int64_t{512} << 20U);
    CHECK(bytes(std::int64_t{1} << 30U) == std::int64_t{512} << 20U);
    CHECK(bytes((std::int64_t{1} << 30U) - 1) == std::int64_t{256} << 20U);
    CHECK(bytes(1000) == std::int64_t{1} << 20U);
}
