// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3
#include "transrank/mpi/agreement.hpp"

#include <new>

#include "transrank/mpi/communicator.hpp"
#include "transrank/mpi/library.hpp"
#include "world.hpp"

using namespace transrank;
using testing::world;

TEST_CASE("what one rank throws, all ranks throw in its words, or with its number") {
    const int last = world().size() - 1;
    const std::string rank = "rank " + std::to_string(last);
    const std::vector<std::pair<std::function<void()>, std::string>> cases{
        {[] { throw std::runtime_error("words"); }, "words"},
        {[] { throw std::bad_alloc(); }, rank + " has too little memory left for this"},
        {[] { throw 1; }, rank + " threw something other than a std::exception"},
    };
    for (const auto& [work, words] : cases) {
        const auto on_one_rank = [&, &work = work] {
            if (world().rank() == last) {
                work();
            }
        };
        CHECK_THROWS_WITH_AS(mpi::agree(world(), on_one_rank), words.c_str(), mpi::AgreedError);
    }
    CHECK_NOTHROW(mpi::agree(world(), [] {}));
}

TEST_CASE("ranks in different calls hear which, whatever they agree on") {
    const int last = world().size() - 1;
    if (last == 0) {
        return;
    }
    const std::vector<std::function<void()>> meetings{
        [&] { mpi::agree(world(), [] {}); },
        [&] { mpi::agree(world(), [] { throw std::runtime_error("words"); }); },
        [&] { mpi::agree_on(world(), "says", {"a word"}); },
    };
    for (const auto& one : meetings) {
        for (const auto& other : meetings) {
            const mpi::Call call(world(), world().rank() == last ? "one call" : "another");
            const mpi::Call part_of_it(world(), "the same part");
            const auto words = "rank " + std::to_string(last) +
                               " calls one call, rank 0 another: all ranks of the communicator "
                               "must make the same calls in the same order";
            CHECK_THROWS_WITH_AS(world().rank() == last ? one() : other(), words.c_str(),
                                 mpi::AgreedError);
        }
    }
    CHECK_NOTHROW(mpi::agree_on(world(), "says", {"a word"}));
}

TEST_CASE("given words are compared before a refusal is heard, and words of the work after it") {
    const int last = world().size() - 1;
    if (last == 0) {
        return;
    }
    const bool is_last = world().rank() == last;
    const auto meet = [&](bool other, bool refuses, bool other_result) {
        const auto work = [&]() -> mpi::Words {
            if (is_last && refuses) {
                throw std::runtime_error("refused");
            }
            return {"one", is_last && other_result ? "other" : "two"};
        };
        mpi::agree_on(world(), "says", work, {is_last && other ? "this" : "that"});
    };
    const auto says = [&](const std::string& what) {
        return "rank " + std::to_string(last) + " says " + what +
               "; these must be equal on all ranks";
    };
    CHECK_NOTHROW(meet(false, false, false));
    CHECK_THROWS_WITH_AS(meet(true, true, false), says("this, rank 0 that").c_str(),
                         mpi::AgreedError);
    CHECK_THROWS_WITH_AS(meet(false, true, true), "refused", mpi::AgreedError);
    CHECK_THROWS_WITH_AS(meet(false, false, true), says("other, rank 0 two").c_str(),
                         mpi::AgreedError);
}

TEST_CASE("long words arrive whole") {
    for (const std::size_t length : {503U, 504U, 505U, 100'000U}) {
        const std::string words(length, 'x');
        CHECK_THROWS_WITH_AS(mpi::agree(world(), [&] { throw std::runtime_error(words); }),
                             words.c_str(), mpi::AgreedError);
    }
}

TEST_CASE("the MPI library is recognised by what it says of itself") {
#if defined(OPEN_MPI)
    CHECK(mpi::library_kind() == "openmpi");
#elif defined(MPICH_VERSION)
    CHECK(mpi::library_kind() == "mpich");
#else
    CHECK(!mpi::library_version().empty());
#endif
}
