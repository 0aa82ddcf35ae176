// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3 4
// Ghosts get what their owners have, and owners what comes back, for rows of every kind.
#include "../discovery/oracle.hpp"
#include "transrank/array/array_transformer.hpp"

using namespace testing;
using namespace transrank::array;
using transrank::copy::Operation;

namespace {

/// Rows of all ranks, and the ghosts that each wants; known on every rank.
struct Scene {
    std::int64_t bound = 0;
    Indices begins{0};            ///< the first global index, by rank; and the extent
    Indices lengths;              ///< of rows, by global index
    std::vector<Indices> ghosts;  ///< global indices, by rank

    explicit Scene(std::uint64_t seed) {
        Random random(seed);
        bound = between(random, 1, 5);
        for (int rank = 0; rank < world_size(); ++rank) {
            const auto rows = chance(random, 0.25) ? 0 : between(random, 1, 12);
            begins.push_back(begins.back() + rows);
        }
        for (std::int64_t row = 0; row < begins.back(); ++row) {
            lengths.push_back(between(random, 0, bound));
        }
        for (int rank = 0; rank < world_size(); ++rank) {
            ghosts.push_back(random_indices(random, begins.back()));
        }
    }
};

/// Elements that are no numbers.
struct Particle {
    Particle() = default;
    explicit Particle(std::int64_t number)
        : position{static_cast<float>(number), 1}, kind(static_cast<std::int16_t>(-number)) {}
    bool operator==(const Particle&) const = default;
    std::array<float, 2> position;
    std::int16_t kind;
};

template <class T>
T element(std::int64_t place, std::int64_t i, int epoch) {
    return static_cast<T>((20 * place) + (3 * i) + epoch);
}

/// Where ghosts of a rank are numbered from.
std::int64_t ghosts_from(std::size_t rank) {
    return 1000 * static_cast<std::int64_t>(rank + 1);
}

template <class T>
T combined(Operation operation, T mine, T theirs) {
    if constexpr (std::is_arithmetic_v<T>) {
        if (operation != Operation::assign) {
            return operation == Operation::add   ? static_cast<T>(mine + theirs)
                   : operation == Operation::min ? std::min(mine, theirs)
                                                 : std::max(mine, theirs);
        }
    }
    return theirs;
}

/// A transformer with its arrays in a scene.
template <class T, std::int64_t rs, std::int64_t rm = rs, std::int64_t al = 1>
struct Actor {
    using Array = ParArray<T, rs, rm, al>;

    const Scene& scene;
    std::size_t rank = static_cast<std::size_t>(world_rank());
    std::shared_ptr<Array> father = std::make_shared<Array>();
    std::shared_ptr<Array> son = std::make_shared<Array>();
    ArrayTransformer<T, rs, rm, al> transformer{MPI_COMM_WORLD};

    explicit Actor(const Scene& given) : scene(given) {
        resize_father();
        transformer.set_father_son(father, son);
    }
    void resize_father() {
        const auto first = scene.lengths.begin() + scene.begins[rank];
        const Indices own(first, scene.lengths.begin() + scene.begins[rank + 1]);
        if constexpr (Array::kind == RowKind::static_fixed) {
            father->resize(std::ssize(own));
        } else if constexpr (Array::kind == RowKind::fixed) {
            father->resize(std::ssize(own), scene.bound);
        } else if constexpr (Array::kind == RowKind::bounded) {
            father->resize(own, scene.bound);
        } else {
            father->resize(own);
        }
    }
    void create_mapping() {
        transformer.create_global_mapping();
        transformer.create_ghost_mapping(scene.ghosts[rank]);
    }

    static void fill(Array& array, std::int64_t from, int epoch) {
        for (std::int64_t row = 0; row < array.size(); ++row) {
            for (std::int64_t i = 0; i < std::ssize(array[row]); ++i) {
                array[row][static_cast<std::size_t>(i)] = element<T>(from + row, i, epoch);
            }
        }
    }
    void fill(int epoch) {
        fill(*father, scene.begins[rank], epoch);
        fill(*son, ghosts_from(rank), epoch);
    }

    [[nodiscard]] bool son_has_copies(int epoch) const {
        bool good = son->size() == std::ssize(scene.ghosts[rank]);
        for (std::int64_t row = 0; good && row < son->size(); ++row) {
            const auto ghost = scene.ghosts[rank][static_cast<std::size_t>(row)];
            const auto length = is_fixed(Array::kind)
                                    ? father->rows().length(0)
                                    : scene.lengths[static_cast<std::size_t>(ghost)];
            good = std::ssize((*son)[row]) == length;
            for (std::int64_t i = 0; good && i < length; ++i) {
                good = (*son)[row][static_cast<std::size_t>(i)] == element<T>(ghost, i, epoch);
            }
        }
        return good;
    }

    /// Whether the father is what the ghosts of all ranks, one after the other, have made of it.
    [[nodiscard]] bool father_is(Operation operation, int epoch) const {
        bool good = true;
        for (std::int64_t row = 0; row < father->size(); ++row) {
            const auto global = scene.begins[rank] + row;
            for (std::int64_t i = 0; i < std::ssize((*father)[row]); ++i) {
                auto expected = element<T>(global, i, epoch);
                for (std::size_t from = 0; from < scene.ghosts.size(); ++from) {
                    auto place = ghosts_from(from);
                    for (const auto ghost : scene.ghosts[from]) {
                        const auto theirs = element<T>(place++, i, epoch);
                        expected =
                            ghost == global ? combined(operation, expected, theirs) : expected;
                    }
                }
                good = good && (*father)[row][static_cast<std::size_t>(i)] == expected;
            }
        }
        return good;
    }
};

template <class Actor>
void check_pulls(Actor& actor) {
    auto& transformer = actor.transformer;
    transformer.init_persistent_pull();
    for (int epoch = 1; epoch < 4; ++epoch) {
        actor.fill(epoch);
        transformer.start_persistent_pull();
        if (epoch == 2) {
            while (!transformer.test_persistent_pull()) {
            }
        } else {
            transformer.wait_persistent_pull();
        }
        CHECK(actor.son_has_copies(epoch));
    }
    transformer.clear_persistent_pull();
    actor.fill(9);
    transformer.pull_once();
    CHECK(actor.son_has_copies(9));
}

template <class T, std::int64_t rs, std::int64_t rm = rs, std::int64_t al = 1>
void check(const Scene& scene) {
    Actor<T, rs, rm, al> actor(scene);
    actor.create_mapping();
    CHECK(std::ranges::equal(actor.transformer.ghosts(), scene.ghosts[actor.rank]));
    check_pulls(actor);
    using enum Operation;
    for (const auto operation : {assign, add, min, max}) {
        if (operation != assign && !std::is_arithmetic_v<T>) {
            continue;
        }
        actor.transformer.init_persistent_push(operation);
        for (int epoch = 1; epoch < 3; ++epoch) {
            actor.fill(epoch);
            actor.transformer.start_persistent_push();
            actor.transformer.wait_persistent_push();
            CHECK(actor.father_is(operation, epoch));
        }
        actor.transformer.clear_persistent_push();
    }
}

template <class Check>
void for_scenes(const Check& check_scene) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        CAPTURE(seed);
        check_scene(Scene(seed));
    }
}

}  // namespace

TEST_CASE("rows of every kind are pulled and pushed back") {
    for_scenes([](const Scene& scene) {
        check<double, 3>(scene);
        check<Particle, 2>(scene);
        check<float, 3, 3, 4>(scene);
        check<std::uint16_t, dynamic_size, dynamic_size, 3>(scene);
        check<std::int64_t, non_uniform_size, 6>(scene);
        check<double, non_uniform_size, dynamic_size, 2>(scene);
        check<Particle, non_uniform_size, non_uniform_size, 4>(scene);
    });
}

TEST_CASE("rows without elements move nothing") {
    Scene scene(1);
    scene.bound = 0;
    std::ranges::fill(scene.lengths, 0);
    check<double, 0>(scene);
    check<std::uint16_t, dynamic_size, dynamic_size, 3>(scene);
    check<double, non_uniform_size, dynamic_size, 2>(scene);
}

TEST_CASE("a mapping serves rows of another kind, and a son follows when their lengths change") {
    for_scenes([](Scene scene) {
        Actor<double, 3> lender(scene);
        lender.create_mapping();
        Actor<std::int32_t, non_uniform_size, non_uniform_size> borrower(scene);
        borrower.transformer.borrow_mapping(lender.transformer);
        CHECK(borrower.transformer.mapping() == lender.transformer.mapping());
        check_pulls(borrower);
        check_pulls(lender);
        for (auto& length : scene.lengths) {
            length = (length + 2) % 6;
        }
        borrower.resize_father();
        borrower.transformer.fit_son();
        check_pulls(borrower);
        borrower.transformer.create_global_mapping();
        borrower.transformer.use_route(lender.transformer.mapping()->route);
        check_pulls(borrower);
    });
}

TEST_CASE("a pull and a push of other arrays may be under way at once, on every transport") {
    const Scene scene(5);
    for (const auto& transport : transports()) {
        if (transport == "self-copy" && world_size() > 1) {
            continue;
        }
        CAPTURE(transport);
        Actor<double, 3> one(scene);
        Actor<std::int32_t, non_uniform_size, non_uniform_size> other(scene);
        one.create_mapping();
        other.transformer.borrow_mapping(one.transformer);
        transrank::exchange::Options options;
        options.transport = transport;
        one.transformer.init_persistent_pull(options);
        if (transport == "kernel-copy") {  // does not add
            options.transport = "auto";
        }
        other.transformer.init_persistent_push(Operation::add, options);
        one.fill(1);
        other.fill(1);
        one.transformer.start_persistent_pull();
        other.transformer.start_persistent_push();
        other.transformer.wait_persistent_push();
        one.transformer.wait_persistent_pull();
        CHECK(one.son_has_copies(1));
        CHECK(other.father_is(Operation::add, 1));
    }
}

TEST_CASE("arrays of a transformer are read in shared memory") {
    Scene scene(1);
    for (std::size_t rank = 0; rank < scene.ghosts.size(); ++rank) {
        scene.begins[rank + 1] = scene.begins[rank] + 2;
        scene.ghosts[rank] = {0, 2 * world_size() - 1};
    }
    scene.lengths.assign(2 * scene.ghosts.size(), 1);
    Actor<double, 3> actor(scene);
    actor.create_mapping();
    actor.transformer.init_persistent_pull();
    const bool has_peers = actor.transformer.explain_pull().find(" 0 peers") == std::string::npos;
    CHECK((actor.transformer.explain_pull().find("shared-direct") != std::string::npos) ==
          has_peers);
    actor.transformer.init_persistent_push(Operation::add);
    CHECK((actor.transformer.explain_push().find("shared-direct") != std::string::npos) ==
          has_peers);
}
