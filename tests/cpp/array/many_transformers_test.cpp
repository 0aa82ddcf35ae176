// SPDX-License-Identifier: BSD-3-Clause
// ranks: 2
// A program may have as many transformers as there is memory for: they take neither communicators
// nor descriptors each, and little memory for their ghosts.
#include <deque>
#include <fcntl.h>
#include <malloc.h>

#include "../exchange/few_descriptors.hpp"
#include "transrank/array/array_transformer.hpp"
#include "world.hpp"

using namespace testing;
using Array = transrank::array::ParArray<double, 5>;
using Transformer = transrank::array::ArrayTransformer<double, 5>;

namespace {

struct Update {
    std::shared_ptr<Array> owned = std::make_shared<Array>();
    std::shared_ptr<Array> ghosts = std::make_shared<Array>();
    Transformer transformer{MPI_COMM_WORLD};

    explicit Update(std::int64_t rows) {
        owned->resize(rows);
        transformer.set_father_son(owned, ghosts);
        transformer.create_global_mapping();
    }
};

int other_rank() {
    return 1 - world_rank();
}

std::size_t heap_bytes() {
    const auto info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

void run_thousand(const std::string& transport) {
    const FewDescriptors few(20);
    std::deque<Update> updates;
    for (int i = 0; i < 1000; ++i) {
        auto& update = updates.emplace_back(1);
        const std::vector<std::int64_t> ghosts{other_rank()};
        update.transformer.create_ghost_mapping(ghosts);
        transrank::exchange::Options options;
        options.transport = transport;
        update.transformer.init_persistent_pull(options);
        (*update.owned)[0][0] = (10.0 * i) + world_rank();
    }
    CHECK(updates.back().transformer.explain_pull().find(
              transport == "auto" ? "shared-direct" : transport) != std::string::npos);
    int wrong = 0;
    for (int i = 0; i < 1000; ++i) {
        auto& update = updates[static_cast<std::size_t>(i)];
        update.transformer.start_persistent_pull();
        update.transformer.wait_persistent_pull();
        wrong += (*update.ghosts)[0][0] == (10.0 * i) + other_rank() ? 0 : 1;
    }
    CHECK(wrong == 0);
    const int own_file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    CHECK(own_file >= 0);
    close(own_file);
}

}  // namespace

TEST_CASE("a thousand transformers live at once, with twenty descriptors") {
    for (const std::string transport : {"auto", "shared-staged", "message"}) {
        CAPTURE(transport);
        run_thousand(transport);
    }
}

TEST_CASE("five fields share what describes their ghosts") {
    constexpr std::int64_t ghosts = 100'000;
    constexpr std::int64_t rows = 4 * ghosts;
    constexpr std::int64_t most_bytes_each = 32;
    std::vector<std::int64_t> pulled;
    for (std::int64_t i = 0; i < ghosts; ++i) {
        pulled.push_back((other_rank() * rows) + (3 * i) + (i * i % 2) + (i % 7 == 0 ? 1 : 0));
    }
    std::deque<Update> fields;
    for (int i = 0; i < 5; ++i) {
        fields.emplace_back(rows);
    }
    const auto before = heap_bytes();
    fields.front().transformer.create_ghost_mapping(pulled);
    for (auto& field : fields) {
        if (&field != &fields.front()) {
            field.transformer.borrow_mapping(fields.front().transformer);
        }
        field.transformer.init_persistent_pull();
    }
    const auto each = static_cast<std::int64_t>(heap_bytes() - before) / ghosts;
    CAPTURE(each);
    CHECK(each <= most_bytes_each);
}
