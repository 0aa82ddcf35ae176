// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3 4
// What is wrong on one rank when an exchange is bound is the same error on every rank.
#include "pretended_nodes.hpp"
#include "ring.hpp"

using namespace testing;
using transrank::copy::Field;

namespace {

std::array<std::byte, 64> more_memory{};

/// What a rank gives to bind; a test spoils it on the last rank.
struct Arguments {
    transrank::route::Route route;
    std::vector<Field> fields;
    Options options;
};

template <class Spoil>
std::string words_of_refusal(bool closed, const Spoil& spoil) {
    const Ring ring(world_rank(), world_size(), closed, 4);
    Arguments arguments{.route = ring.route(), .fields = ring.fields(), .options = {}};
    if (is_last()) {
        spoil(arguments);
    }
    return agreed_words(
        [&] { return Exchange(arguments.route, all_ranks, arguments.fields, arguments.options); });
}

/// Every rank must throw the same words, and they must contain `what`.
template <class Spoil>
void check_refused(const std::string& what, const Spoil& spoil, bool closed = true) {
    CAPTURE(what);
    const auto words = words_of_refusal(closed, spoil);
    CAPTURE(words);
    CHECK(words.find(what) != std::string::npos);
}

/// A field of the last rank.
std::string field(int number) {
    return "field " + std::to_string(number) + " on rank " + last() + ": ";
}

}  // namespace

TEST_CASE("nothing spoilt is not refused") {
    CHECK(words_of_refusal(true, [](Arguments&) {}).empty());
    CHECK(words_of_refusal(false, [](Arguments&) {}).empty());
}

TEST_CASE("fields that do not fit the route are refused") {
    check_refused("no field given on rank " + last(), [](auto& it) { it.fields.clear(); });
    check_refused(field(0) + "the source holds 3 rows of 8 bytes",
                  [](auto& it) { it.fields[0].source_bytes -= 1; });
    check_refused(field(0) + "the destination holds 3 rows of 8 bytes",
                  [](auto& it) { it.fields[0].destination_bytes -= 8; });
    check_refused("unit_bytes is 0", [](auto& it) { it.fields[0].unit_bytes = 0; });
    check_refused("rows of 7 bytes do not consist of scalars of 8 bytes",
                  [](auto& it) { it.fields[0].unit_bytes = 7; });
}

TEST_CASE("options outside their range are refused, also by ranks without peers") {
    using transrank::copy::Stores;
    const auto refused = [](const std::string& what, const auto& set) {
        CAPTURE(what);
        const Ring ring(world_rank(), world_size(), true);
        auto fields = ring.fields();
        Options options;
        set(options, fields.front());
        const transrank::route::Route nothing(world_rank(), world_size(), 0, 0, {}, {});
        for (const auto& route : {ring.route(), nothing}) {
            CHECK_THROWS_WITH_AS(Exchange(route, all_ranks, fields, options),
                                 doctest::Contains(what.c_str()), transrank::mpi::AgreedError);
        }
    };
    for (const int number : {4, 99}) {
        const auto of = std::to_string(number) + " on rank 0; known: ";
        refused("unknown operation " + of,
                [&](auto& it, auto&) { it.operation = static_cast<Operation>(number); });
        refused("unknown kind of stores " + of,
                [&](auto& it, auto&) { it.stores = static_cast<Stores>(number); });
    }
    for (const std::int64_t bytes : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::min()}) {
        const auto of = std::to_string(bytes);
        refused("push_below_bytes is " + of + " on rank 0; give at least 0",
                [&](auto& it, auto&) { it.push_below_bytes = bytes; });
        refused("messages of at most " + of + " bytes",
                [&](auto& it, auto&) { it.longest_message_bytes = bytes; });
    }
    refused("messages of at most 0 bytes are asked for; give at least 1",
            [](auto& it, auto&) { it.longest_message_bytes = 0; });
    refused(
        "unknown transport 'nosuch'; known: auto, self-copy, shared-direct, kernel-copy, "
        "shared-staged, "
        "node-staged, message",
        [](auto& it, auto&) { it.transport = "nosuch"; });
    refused("rows without a numeric scalar type can only be assigned; use the operation assign",
            [](auto& it, auto& field) {
                it.operation = Operation::add;
                field.scalar = transrank::copy::Scalar::opaque;
            });
}

TEST_CASE("a route that was moved from is refused") {
    check_refused("the route on rank " + last() + " was moved from", [](auto& it) {
        const auto taken = std::move(it.route);
        CHECK(taken.ranks() == world_size());
    });
}

TEST_CASE("memory that is not there, or is read and written at once, is refused") {
    check_refused(field(0) + "the source has 32 bytes but no address",
                  [](auto& it) { it.fields[0].source = nullptr; });
    check_refused(field(0) + "the destination has 32 bytes but no address",
                  [](auto& it) { it.fields[0].destination = nullptr; });
    check_refused(field(0) + "the route writes rows of its memory that it also reads",
                  [](auto& it) {
                      auto& field = it.fields[0];
                      field.destination = const_cast<std::byte*>(field.source) + 24;
                  });
    check_refused(field(0) +
                      "the route writes rows of its destination where it reads the source of "
                      "field 1",
                  [](auto& it) {
                      auto field = it.fields[0];
                      field.source = std::exchange(field.destination, more_memory.data());
                      it.fields.push_back(field);
                  });
    check_refused("where it also writes the destination of field 1", [](auto& it) {
        auto field = it.fields[0];
        field.source = more_memory.data();
        field.destination += 8;
        field.destination_bytes += 8;
        it.fields.push_back(field);
    });
}

TEST_CASE("fields that differ between ranks are refused, also those of ranks that are no peers") {
    if (world_size() == 1) {
        return;
    }
    const auto binds = "rank " + last() + " binds an exchange with ";
    check_refused(
        binds + "field 0 of 4-byte rows of int32, rank 0 field 0 of 8-byte rows of int64",
        [](auto& it) {
            it.fields[0].unit_bytes = 4;
            it.fields[0].scalar = transrank::copy::Scalar::int32;
        },
        false);
    const Ring ring(world_rank(), world_size(), true);
    auto fields = ring.fields();
    if (is_last()) {
        fields[0].scalar = transrank::copy::Scalar::float64;
    }
    const transrank::route::Route nothing(world_rank(), world_size(), 0, 0, {}, {});
    CHECK_THROWS_WITH_AS(Exchange(nothing, all_ranks, fields),
                         doctest::Contains((binds + "field 0 of 8-byte rows of float64").c_str()),
                         transrank::mpi::AgreedError);
}

TEST_CASE("a route for other ranks is refused") {
    check_refused("a route made for rank 0 of " + std::to_string(world_size() + 1) + " is bound",
                  [](auto& it) { it.route = {0, world_size() + 1, 4, 4, {}, {}}; });
}

TEST_CASE("routes that do not belong together are refused") {
    if (world_size() == 1) {
        return;
    }
    const std::vector<transrank::route::Segment> shorter{
        {.source = 0, .destination = 0, .length = 3}};
    const int last_rank = world_size() - 1;
    const int before = last_rank - 1;
    check_refused(
        "hold routes that do not belong together",
        [&](auto& it) {
            it.route = {last_rank, world_size(), 4, 4, {}, {{.peer = before, .segments = shorter}}};
        },
        false);
    // The peer waits for words that this rank has no reason to send, and the other way round.
    check_refused(
        "whose own route has no such leg",
        [&](auto& it) { it.route = {last_rank, world_size(), 4, 4, {}, {}}; }, false);
    if (world_size() > 2) {
        check_refused(
            "whose own route has no such leg",
            [&](auto& it) {
                auto receives = std::vector(it.route.receives().begin(), it.route.receives().end());
                receives.push_back({.peer = 0, .segments = shorter});
                it.route = {last_rank, world_size(), 4, 4, {}, receives};
            },
            false);
    }
}

TEST_CASE("options that differ between ranks are refused, also between ranks that are no peers") {
    if (world_size() == 1) {
        return;
    }
    const auto differs = "rank " + last() + " binds an exchange with ";
    check_refused(differs + "a transposed route, like a push of ghosts, rank 0 a route that is not",
                  [](auto& it) { it.route = it.route.transposed().transposed().transposed(); });
    check_refused(differs + "stores 1, rank 0 stores 0",
                  [](auto& it) { it.options.stores = transrank::copy::Stores::cached; });
    check_refused(differs + "push_below_bytes 1, rank 0 push_below_bytes to be measured",
                  [](auto& it) { it.options.push_below_bytes = 1; });
}

TEST_CASE("shared memory between nodes is refused") {
    if (world_size() == 1) {
        return;
    }
    const PretendedNodes nodes(1);
    for (const std::string transport : {"shared-direct", "kernel-copy", "shared-staged"}) {
        const Ring ring(world_rank(), world_size(), true);
        CHECK_THROWS_WITH_AS(
            static_cast<void>(ring.bind(transport)),
            ("transport " + transport + " cannot serve rank 1 from rank 0: on another node")
                .c_str(),
            transrank::mpi::AgreedError);
    }
}
