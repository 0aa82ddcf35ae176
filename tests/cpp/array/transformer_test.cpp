// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3 4
// Ghosts get what their owners have, and owners what comes back, for rows of every kind.
#include <doctest/doctest.h>
#include <mpi.h>

#include "scene.hpp"

using namespace testing;
using namespace transrank::array;
using transrank::copy::Operation;

namespace {

template <class Actor>
void check_pulls(Actor& actor) {
    actor.fill_father(0);
    actor.transformer().init_persistent_pull();
    for (int epoch = 1; epoch < 4; ++epoch) {
        actor.fill_father(epoch);
        actor.transformer().start_persistent_pull();
        if (epoch == 2) {
            while (!actor.transformer().test_persistent_pull()) {
            }
        } else {
            actor.transformer().wait_persistent_pull();
        }
        CHECK(actor.son_has_copies(epoch));
    }
    actor.transformer().clear_persistent_pull();
    actor.fill_father(9);
    actor.transformer().pull_once();
    CHECK(actor.son_has_copies(9));
}

template <class Actor, class Combine>
void check_push(Actor& actor, Operation operation, const Combine& combine) {
    actor.transformer().init_persistent_push(operation);
    for (int epoch = 1; epoch < 3; ++epoch) {
        actor.fill_father(epoch);
        actor.fill_son(epoch);
        actor.transformer().start_persistent_push();
        actor.transformer().wait_persistent_push();
        CHECK(actor.father_is_combined(epoch, combine));
    }
    actor.transformer().clear_persistent_push();
}

template <class T, std::int64_t rs, std::int64_t rm = rs, std::int64_t al = 1>
void check(const Scene& scene) {
    Actor<T, rs, rm, al> actor(scene);
    actor.create_mapping();
    const auto& expected = scene.ghosts[static_cast<std::size_t>(world_rank())];
    CHECK(std::ranges::equal(actor.transformer().ghosts(), expected));
    check_pulls(actor);
    check_push(actor, Operation::assign, [](const T&, const T& theirs) { return theirs; });
    if constexpr (std::is_arithmetic_v<T>) {
        check_push(actor, Operation::add,
                   [](T mine, T theirs) { return static_cast<T>(mine + theirs); });
        check_push(actor, Operation::min, [](T mine, T theirs) { return std::min(mine, theirs); });
        check_push(actor, Operation::max, [](T mine, T theirs) { return std::max(mine, theirs); });
    }
}

template <class Check>
void for_scenes(const Check& check_scene) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        check_scene(random_scene(random, world_size(), seed % 2 == 1));
    }
}

}  // namespace

TEST_CASE("rows of a length fixed at compile time") {
    for_scenes([](const Scene& scene) {
        check<double, 3>(scene);
        check<Particle, 2>(scene);
        check<float, 3, 3, 4>(scene);
    });
}

TEST_CASE("rows of a length fixed at run time") {
    for_scenes([](const Scene& scene) {
        check<double, dynamic_size>(scene);
        check<std::uint16_t, dynamic_size, dynamic_size, 3>(scene);
    });
}

TEST_CASE("rows of a bounded length") {
    for_scenes([](const Scene& scene) {
        check<std::int64_t, non_uniform_size, 6>(scene);
        check<double, non_uniform_size, dynamic_size, 2>(scene);
    });
}

TEST_CASE("rows of any length") {
    for_scenes([](const Scene& scene) {
        check<double, non_uniform_size, non_uniform_size>(scene);
        check<Particle, non_uniform_size, non_uniform_size, 4>(scene);
    });
}

TEST_CASE("rows without elements move nothing") {
    Random random(1);
    auto scene = random_scene(random, world_size(), false);
    scene.bound = 0;
    std::ranges::fill(scene.lengths, 0);
    check<double, 0>(scene);
    check<double, dynamic_size>(scene);
    check<double, non_uniform_size, dynamic_size>(scene);
    check<double, non_uniform_size, non_uniform_size>(scene);
}

TEST_CASE("a mapping serves rows of another kind") {
    for_scenes([](const Scene& scene) {
        Actor<double, 3> lender(scene);
        lender.create_mapping();
        Actor<std::int32_t, non_uniform_size, non_uniform_size> borrower(scene);
        borrower.transformer().borrow_mapping(lender.transformer());
        CHECK(borrower.transformer().mapping() == lender.transformer().mapping());
        check_pulls(borrower);
        check_pulls(lender);
    });
}

TEST_CASE("the push of a pull counts how often a row was asked for") {
    for_scenes([](const Scene& scene) {
        Actor<std::int64_t, 1> actor(scene);
        actor.create_mapping();
        for (auto& number : actor.son().data()) {
            number = 1;
        }
        actor.transformer().push_once(Operation::add);
        std::vector<std::int64_t> times(static_cast<std::size_t>(scene.extent()));
        for (const auto& ghosts : scene.ghosts) {
            for (const auto ghost : ghosts) {
                ++times[static_cast<std::size_t>(ghost)];
            }
        }
        const auto begin = scene.begins[static_cast<std::size_t>(world_rank())];
        CHECK(std::ranges::equal(actor.father().data(),
                                 std::span(times).subspan(static_cast<std::size_t>(begin),
                                                          actor.father().data().size())));
    });
}

TEST_CASE("a son follows when the rows of the father change their lengths") {
    Random random(3);
    auto scene = random_scene(random, world_size(), false);
    Actor<int, non_uniform_size, non_uniform_size> actor(scene);
    actor.create_mapping();
    for (auto& length : scene.lengths) {
        length = (length + 2) % 6;
    }
    actor.father().resize(scene.owned_lengths(static_cast<std::size_t>(world_rank())));
    actor.transformer().fit_son();
    check_pulls(actor);
}

TEST_CASE("a pull and a push of other arrays may be under way at once, on every transport") {
    Random random(5);
    const auto scene = random_scene(random, world_size(), false);
    for (const auto& transport : transports()) {
        if (transport == "self-copy" && world_size() > 1) {
            continue;
        }
        CAPTURE(transport);
        Actor<double, 3> one(scene);
        Actor<double, non_uniform_size, non_uniform_size> other(scene);
        one.create_mapping();
        other.transformer().borrow_mapping(one.transformer());
        transrank::exchange::Options options;
        options.transport = transport;
        one.transformer().init_persistent_pull(options);
        other.transformer().init_persistent_push(Operation::add, options);
        one.fill_father(1);
        other.fill_father(1);
        other.fill_son(1);
        one.transformer().start_persistent_pull();
        other.transformer().start_persistent_push();
        other.transformer().wait_persistent_push();
        one.transformer().wait_persistent_pull();
        CHECK(one.son_has_copies(1));
        CHECK(other.father_is_combined(1, std::plus<>()));
    }
}

TEST_CASE("a route that exists serves as mapping") {
    Random random(11);
    const auto scene = random_scene(random, world_size(), false);
    Actor<double, 3> lender(scene);
    lender.create_mapping();
    Actor<double, non_uniform_size, non_uniform_size> actor(scene);
    actor.transformer().create_global_mapping();
    actor.transformer().use_route(lender.transformer().mapping()->route);
    CHECK(std::ranges::equal(actor.transformer().ghosts(), lender.transformer().ghosts()));
    check_pulls(actor);
}

TEST_CASE("arrays of a transformer are read in shared memory") {
    if (world_size() == 1) {
        return;
    }
    Scene scene{.begins = {0}};
    for (int rank = 0; rank < world_size(); ++rank) {
        scene.owned.push_back(2);
        scene.begins.push_back(scene.begins.back() + 2);
        scene.ghosts.push_back({0, 2});
    }
    Actor<double, 3> actor(scene);
    actor.create_mapping();
    actor.transformer().init_persistent_pull();
    CHECK(actor.transformer().explain_pull().find("shared-direct") != std::string::npos);
    actor.transformer().init_persistent_push(Operation::add);
    CHECK(actor.transformer().explain_push().find("shared-direct") != std::string::npos);
}
