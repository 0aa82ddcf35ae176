// SPDX-License-Identifier: BSD-3-Clause
#include <optional>

#include "lab/measure/payload.hpp"
#include "lab/study/collectives/contents.hpp"

namespace transrank::lab::study::collectives {
namespace {

class MovedBlocks final : public Contents {
public:
    explicit MovedBlocks(const Buffers& buffers) : buffers_(buffers) {}

    void fill(std::uint64_t stamp) override {
        stamp_ = stamp;
        for (int i = 0; i < used(buffers_.flow.send.blocks, 1, buffers_.rank, buffers_.ranks);
             ++i) {
            payload(buffers_.rank, target(i)).write(block(buffers_.send, i));
        }
        measure::poison(buffers_.receive);
    }

    [[nodiscard]] std::uint64_t verify(const Roots& roots) const override {
        switch (buffers_.flow.receive.blocks) {
            case Blocks::none:
            case Blocks::share:
                return 0;
            case Blocks::one:
                return verify_one(roots);
            case Blocks::one_per_rank:
                return verify_all(roots);
        }
        return 0;
    }

private:
    [[nodiscard]] std::uint64_t verify_one(const Roots& roots) const {
        const auto source = buffers_.flow.receive.ranks == Ranks::all_but_root
                                ? roots.last_but(buffers_.rank)
                                : roots.last();
        if (!source) {
            return 0;
        }
        payload(*source, target(buffers_.rank)).check(buffers_.receive);
        return buffers_.receive.size();
    }

    [[nodiscard]] std::uint64_t verify_all(const Roots& roots) const {
        if (buffers_.flow.receive.ranks == Ranks::root && !roots.has_been(buffers_.rank)) {
            return 0;
        }
        for (int source = 0; source < buffers_.ranks; ++source) {
            payload(source, target(buffers_.rank)).check(block(buffers_.receive, source));
        }
        return buffers_.receive.size();
    }

    // Whom a block is for: `rank`, unless every rank is sent the same one.
    [[nodiscard]] int target(int rank) const {
        return buffers_.flow.send.blocks == Blocks::one_per_rank ? rank : measure::all_ranks;
    }
    [[nodiscard]] measure::Payload payload(int source, int target) const {
        return {.source = source, .target = target, .stamp = stamp_};
    }
    [[nodiscard]] std::span<std::byte> block(std::span<std::byte> side, int index) const {
        return side.subspan(static_cast<std::size_t>(index) * buffers_.block_bytes,
                            buffers_.block_bytes);
    }

    Buffers buffers_;
    std::uint64_t stamp_ = 0;
};

}  // namespace

std::unique_ptr<Contents> make_blocks(const Buffers& buffers) {
    return std::make_unique<MovedBlocks>(buffers);
}

}  // namespace transrank::lab::study::collectives
