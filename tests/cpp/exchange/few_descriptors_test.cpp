// SPDX-License-Identifier: BSD-3-Clause
// ranks: 2 3
// A rank that has used up its file descriptors cannot map its peers' arrays: the pairs concerned
// take another transport, and nobody is left waiting.
#include "few_descriptors.hpp"

#include "ring.hpp"
#include "transrank/memory/array_memory.hpp"

using namespace testing;

namespace {

/// What the previous rank's array is to this one: mapped before, or not.
std::string explain_with_a_poor_rank_0(const std::string& transport) {
    Ring ring(world_rank(), world_size(), true);
    const auto poor = world_rank() == 0 ? std::make_unique<FewDescriptors>() : nullptr;
    auto exchange = ring.bind(transport);
    for (int epoch = 0; epoch < 3; ++epoch) {
        ring.write(epoch);
        exchange.run();
        CHECK(ring.has_received(epoch));
    }
    return exchange.explain();
}

}  // namespace

TEST_CASE("a pair that cannot map its arrays takes the next transport") {
    // What a communicator needs once is there before.
    const Ring ring(world_rank(), world_size(), true);
    CHECK(ring.bind("auto").explain().find("shared-direct") != std::string::npos);
    const auto words = explain_with_a_poor_rank_0("auto");
    CAPTURE(words);
    const bool beside = world_rank() <= 1 || world_rank() == world_size() - 1;
    CHECK((words.find("not shared-direct: ") != std::string::npos) == beside);
    if (world_rank() == 0) {
        CHECK(words.find("cannot open the shared memory of process") != std::string::npos);
    } else if (beside) {
        CHECK(words.find("rank 0 could not set it up") != std::string::npos);
    }
    CHECK(words.find("shared-staged") != std::string::npos);
}

TEST_CASE("a transport asked for by name is refused to all") {
    const Ring ring(world_rank(), world_size(), true);
    (void)ring.bind("auto");
    const Ring other(world_rank(), world_size(), true);
    const auto poor = world_rank() == 0 ? std::make_unique<FewDescriptors>() : nullptr;
    CHECK_THROWS_AS((void)other.bind("shared-direct"), transrank::mpi::AgreedError);
}

TEST_CASE("a rank whose arrays cannot be shared says why") {
    const Ring ring(world_rank(), world_size(), true, 1, Home::user);
    const auto poor = world_rank() == 0 ? std::make_unique<FewDescriptors>() : nullptr;
    constexpr std::size_t too_long_for_a_pool = std::size_t{2} << 20U;
    const transrank::memory::ArrayMemory array(too_long_for_a_pool);
    CHECK(array.is_shared() == (world_rank() != 0));
    const auto words = ring.bind("auto").explain();
    CAPTURE(words);
    CHECK((words.find("could not be shared: 1; the last one: cannot make shared memory") !=
           std::string::npos) == (world_rank() == 0));
}
