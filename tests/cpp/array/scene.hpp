// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "../discovery/oracle.hpp"
#include "transrank/array/array_transformer.hpp"

namespace testing {

namespace ta = transrank::array;

/// Everything about ghosts of rows, known on every rank.
struct Scene {
    Indices owned{};              ///< rows, by rank
    Indices begins{};             ///< the first global index, by rank; and the extent
    std::vector<Indices> rows{};  ///< pushed, by rank
    std::vector<std::vector<int>> targets{};
    std::vector<Indices> ghosts{};  ///< global indices, by rank
    Indices lengths{};              ///< of rows, by global index
    std::int64_t bound = 0;

    [[nodiscard]] std::size_t ranks() const { return owned.size(); }
    [[nodiscard]] std::int64_t extent() const { return begins.back(); }

    [[nodiscard]] Indices owned_lengths(std::size_t rank) const {
        return {lengths.begin() + begins[rank], lengths.begin() + begins[rank + 1]};
    }
    [[nodiscard]] Indices ghost_lengths(std::size_t rank) const {
        Indices made;
        for (const auto ghost : ghosts[rank]) {
            made.push_back(lengths[static_cast<std::size_t>(ghost)]);
        }
        return made;
    }
};

/// Ranks with different numbers of rows, often none. With `pushed`, ghosts are those that owners
/// push; else each rank's own wishes: own rows, rows twice, none at all.
inline Scene random_scene(Random& random, int ranks, bool pushed) {
    Scene scene{.begins = {0}, .bound = between(random, 1, 5)};
    const bool even = chance(random, 0.3);
    for (int rank = 0; rank < ranks; ++rank) {
        scene.owned.push_back(even ? 6 : (chance(random, 0.25) ? 0 : between(random, 1, 12)));
        scene.begins.push_back(scene.begins.back() + scene.owned.back());
    }
    for (std::int64_t row = 0; row < scene.extent(); ++row) {
        scene.lengths.push_back(between(random, 0, scene.bound));
    }
    scene.ghosts.resize(scene.ranks());
    for (std::size_t rank = 0; rank < scene.ranks(); ++rank) {
        if (!pushed) {
            scene.ghosts[rank] = random_indices(random, scene.extent());
            continue;
        }
        scene.rows.push_back(random_indices(random, scene.owned[rank]));
        scene.targets.emplace_back();
        for (const auto row : scene.rows.back()) {
            const auto target = between(random, 0, ranks - 1);
            scene.targets.back().push_back(static_cast<int>(target));
            scene.ghosts[static_cast<std::size_t>(target)].push_back(scene.begins[rank] + row);
        }
    }
    return scene;
}

/// An element of any plain type out of numbers that say where it is.
template <class T>
T element(std::uint64_t who, std::int64_t row, std::size_t i, int epoch) {
    std::seed_seq mix{who, static_cast<std::uint64_t>(row), std::uint64_t{i},
                      static_cast<std::uint64_t>(epoch)};
    std::vector<std::uint32_t> numbers(2);
    mix.generate(numbers.begin(), numbers.end());
    if constexpr (std::is_floating_point_v<T>) {
        // Of very different size, so that the order of a sum shows in its last bits.
        return std::ldexp(static_cast<T>(numbers[0] % 2000003) - T{1000001},
                          static_cast<int>(numbers[1] % 40) - 20);
    } else if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(numbers[0]);
    } else {
        return T(numbers[0], numbers[1]);
    }
}

/// Elements that are no numbers.
struct Particle {
    Particle() = default;
    Particle(std::uint32_t one, std::uint32_t other)
        : position{static_cast<float>(one), static_cast<float>(other)},
          kind(static_cast<std::int16_t>(other)) {}
    float position[2];
    std::int16_t kind;
    friend bool operator==(const Particle& a, const Particle& b) {
        return a.position[0] == b.position[0] && a.position[1] == b.position[1] && a.kind == b.kind;
    }
};

/// A transformer with its arrays in a scene.
template <class T, std::int64_t rs, std::int64_t rm = rs, std::int64_t al = 1>
class Actor {
public:
    using Array = ta::ParArray<T, rs, rm, al>;
    using Transformer = ta::ArrayTransformer<T, rs, rm, al>;
    static constexpr std::uint64_t owner_seed = 1000;
    static constexpr std::uint64_t ghost_seed = 2000;

    explicit Actor(const Scene& scene)
        : scene_(scene),
          rank_(static_cast<std::size_t>(world_rank())),
          transformer_(world().handle()) {
        if constexpr (Array::kind == ta::RowKind::static_fixed) {
            father_->resize(scene.owned[rank_]);
        } else if constexpr (Array::kind == ta::RowKind::fixed) {
            father_->resize(scene.owned[rank_], scene.bound);
        } else if constexpr (Array::kind == ta::RowKind::bounded) {
            father_->resize(scene.owned_lengths(rank_), scene.bound);
        } else {
            father_->resize(scene.owned_lengths(rank_));
        }
        transformer_.set_father_son(father_, son_);
    }

    void create_mapping() {
        transformer_.create_global_mapping();
        if (scene_.rows.empty()) {
            transformer_.create_ghost_mapping(scene_.ghosts[rank_]);
        } else {
            transformer_.create_ghost_mapping(scene_.rows[rank_], scene_.targets[rank_]);
        }
    }

    Transformer& transformer() { return transformer_; }
    [[nodiscard]] Array& father() { return *father_; }
    [[nodiscard]] Array& son() { return *son_; }

    void fill(Array& array, std::uint64_t seed, int epoch) const {
        for (std::int64_t row = 0; row < array.size(); ++row) {
            for (std::size_t i = 0; i < array[row].size(); ++i) {
                array[row][i] = element<T>(seed + rank_, row, i, epoch);
            }
        }
    }
    void fill_father(int epoch) { fill(*father_, owner_seed, epoch); }
    void fill_son(int epoch) { fill(*son_, ghost_seed, epoch); }

    /// What the father of the row's owner was filled with.
    [[nodiscard]] T original(std::int64_t global, std::size_t i, int epoch) const {
        const auto after = std::ranges::upper_bound(scene_.begins, global);
        const auto owner = static_cast<std::size_t>(after - scene_.begins.begin() - 1);
        return element<T>(owner_seed + owner, global - scene_.begins[owner], i, epoch);
    }

    [[nodiscard]] bool son_has_copies(int epoch) const {
        const auto& ghosts = scene_.ghosts[rank_];
        bool good = son_->size() == std::ssize(ghosts);
        for (std::int64_t row = 0; good && row < son_->size(); ++row) {
            const auto ghost = ghosts[static_cast<std::size_t>(row)];
            const auto span = (*son_)[row];
            good = std::ssize(span) == length(ghost);
            for (std::size_t i = 0; good && i < span.size(); ++i) {
                good = span[i] == original(ghost, i, epoch);
            }
        }
        return good;
    }

    /// Whether the father is what ghosts of all ranks, one after the other, have made of it.
    template <class Combine>
    [[nodiscard]] bool father_is_combined(int epoch, const Combine& combine) const {
        for (std::int64_t row = 0; row < father_->size(); ++row) {
            const auto global = scene_.begins[rank_] + row;
            for (std::size_t i = 0; i < (*father_)[row].size(); ++i) {
                T expected = original(global, i, epoch);
                for (std::size_t rank = 0; rank < scene_.ranks(); ++rank) {
                    for (std::size_t ghost = 0; ghost < scene_.ghosts[rank].size(); ++ghost) {
                        if (scene_.ghosts[rank][ghost] == global) {
                            expected = combine(
                                expected, element<T>(ghost_seed + rank,
                                                     static_cast<std::int64_t>(ghost), i, epoch));
                        }
                    }
                }
                if (!((*father_)[row][i] == expected)) {
                    return false;
                }
            }
        }
        return true;
    }

private:
    [[nodiscard]] std::int64_t length(std::int64_t global) const {
        return ta::is_fixed(Array::kind) ? father_->rows().length(0)
                                         : scene_.lengths[static_cast<std::size_t>(global)];
    }

    const Scene& scene_;
    std::size_t rank_;
    std::shared_ptr<Array> father_ = std::make_shared<Array>();
    std::shared_ptr<Array> son_ = std::make_shared<Array>();
    Transformer transformer_;
};

}  // namespace testing
