// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3 4
// What is wrong on one rank is the same error on every rank, and nobody waits for ever.
#include "../discovery/oracle.hpp"
#include "transrank/array/array_transformer.hpp"
#include "transrank/exchange/exchange.hpp"
#include "transrank/transport/failure.hpp"

using namespace testing;
using namespace transrank::array;
using transrank::copy::Operation;
using transrank::exchange::Misuse;
using transrank::transport::BrokenExchange;

namespace {

using Array = ParArray<double, dynamic_size>;
using Transformer = ArrayTransformer<double, dynamic_size>;

/// Two rows on every rank; everybody's ghosts are the first row of every rank.
struct Ready {
    std::shared_ptr<Array> father = std::make_shared<Array>();
    std::shared_ptr<Array> son = std::make_shared<Array>();
    Transformer transformer{MPI_COMM_WORLD};

    Ready() {
        father->resize(2, 3);
        transformer.set_father_son(father, son);
        transformer.create_global_mapping();
        transformer.create_ghost_mapping(firsts());
    }
    static Indices firsts() {
        Indices made;
        for (int rank = 0; rank < world_size(); ++rank) {
            made.push_back(std::int64_t{2} * rank);
        }
        return made;
    }
};

}  // namespace

TEST_CASE("calls in the wrong order on one rank") {
    Transformer transformer(MPI_COMM_WORLD);
    CHECK(agreed_words([&] { transformer.create_global_mapping(); }) ==
          "there is no father or no son on rank 0; set_father_son comes first");
    const auto father = std::make_shared<Array>();
    transformer.set_father_son(father, is_last() ? father : std::make_shared<Array>());
    CHECK(agreed_words([&] { transformer.create_global_mapping(); }) ==
          "father and son are the same array on rank " + last() + "; ghosts need one of their own");
    transformer.set_father_son(father, std::make_shared<Array>());
    CHECK(agreed_words([&] { transformer.create_ghost_mapping(Indices{}); }) ==
          "the rows of the father have no global numbers on rank 0; create_global_mapping gives "
          "them");
    transformer.create_global_mapping();
    CHECK(agreed_words([&] { transformer.init_persistent_pull(); }) ==
          "there is no ghost mapping on rank 0; create_ghost_mapping makes one");
    Transformer other(MPI_COMM_WORLD);
    CHECK(agreed_words([&] { transformer.borrow_mapping(other); }) ==
          "the other transformer has no ghost mapping on rank 0; create_ghost_mapping makes one");
    CHECK_THROWS_WITH_AS(transformer.start_persistent_pull(),
                         "there is no persistent pull; init_persistent_pull comes first",
                         std::logic_error);
    CHECK_THROWS_WITH_AS(transformer.wait_persistent_push(),
                         "there is no persistent push; init_persistent_push comes first",
                         std::logic_error);
}

TEST_CASE("arrays that do not fit on one rank") {
    Ready ready;
    if (is_last()) {
        ready.son->resize(0, 3);
    }
    CHECK(agreed_words([&] { ready.transformer.init_persistent_pull(); }) ==
          "the son has 0 rows on rank " + last() + ", but the mapping has " +
              std::to_string(world_size()) + " ghosts; fit_son makes room for them");
    if (is_last()) {
        ready.father->resize(3, 3);
    }
    CHECK(agreed_words([&] { ready.transformer.fit_son(); }) ==
          "the ghost mapping is for 2 owned rows on rank " + last() +
              ", but the father has 3; resize it or make another mapping");
    CHECK(agreed_words([&] { ready.transformer.create_ghost_mapping(Ready::firsts()); }) ==
          "the father has 3 rows on rank " + last() +
              ", but had 2 when they were numbered; call create_global_mapping again");
    ready.father->resize(2, is_last() ? 4 : 3);
    const auto refused = agreed_words([&] { ready.transformer.fit_son(); });
    CHECK(refused == (world_size() == 1 ? ""
                                        : "rank " + last() +
                                              " has rows of 4 elements, rank 0 3 elements; these "
                                              "must be equal on all ranks"));
}

TEST_CASE("elements that are no numbers are not added") {
    struct Particle {
        float position[2];
    };
    ArrayTransformer<Particle> transformer(MPI_COMM_WORLD);
    const auto father = std::make_shared<ParArray<Particle>>();
    transformer.set_father_son(father, std::make_shared<ParArray<Particle>>());
    transformer.create_global_mapping();
    transformer.create_ghost_mapping(Indices{});
    CHECK(agreed_words([&] { transformer.init_persistent_push(Operation::add); }) ==
          "rows without a numeric scalar type can only be assigned; use the operation assign");
}

TEST_CASE("an array resized after init breaks the exchange, and the peers are told") {
    Ready ready;
    ready.transformer.init_persistent_pull();
    ready.transformer.start_persistent_pull();
    ready.transformer.wait_persistent_pull();
    const auto pull = [&] {
        ready.transformer.start_persistent_pull();
        ready.transformer.wait_persistent_pull();
    };
    if (is_last()) {
        ready.son->resize(world_size(), 3);
        CHECK_THROWS_WITH_AS(pull(),
                             ("an array of a persistent exchange was resized on rank " + last() +
                              " after init; clear the exchange and init again")
                                 .c_str(),
                             Misuse);
    } else {
        CHECK_THROWS_WITH_AS(
            pull(),
            ("rank " + last() + " has abandoned this exchange after an error; bind a new one")
                .c_str(),
            BrokenExchange);
    }
    ready.transformer.clear_persistent_pull();
    ready.transformer.pull_once();
}

TEST_CASE("a transformer that was moved from is used no more") {
    Transformer one(MPI_COMM_WORLD);
    const auto other = std::move(one);
    CHECK_THROWS_AS(one.create_global_mapping(), Misuse);
    CHECK_THROWS_AS(one.start_persistent_pull(), Misuse);
    CHECK_THROWS_AS((void)one.init_persistent_push(Operation::add), Misuse);
}
