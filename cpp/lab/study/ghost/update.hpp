// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "lab/measure/case.hpp"
#include "lab/measure/operation.hpp"
#include "lab/study/baseline/arrays.hpp"
#include "lab/study/baseline/baseline.hpp"
#include "lab/study/ghost/pattern.hpp"
#include "transrank/route/route.hpp"

namespace transrank::lab::study::ghost {

/// This rank's route of a pattern of the axis: `corrected`, `literal`, `remote`.
[[nodiscard]] route::Route make_route(const std::string& pattern, int rank, int ranks,
                                      const Block& block);

[[nodiscard]] std::int64_t rows_received(const route::Route& route);

/// Ghosts and what updates them: contents, modes, checks.
class Update final : public measure::Operation {
public:
    Update(const measure::Case& point, Arrays arrays, std::unique_ptr<baseline::Mover> mover);

    void fill(std::uint64_t stamp) override;
    void prepare() override;
    void run(std::int64_t repetitions) override;
    std::uint64_t verify(std::int64_t repetitions) override;

private:
    [[nodiscard]] double first_value(int owner) const;
    void rewrite();
    void check(int owner, std::int64_t source_row, std::int64_t ghost_row, std::int64_t rows) const;

    std::int64_t vdim_;
    bool rewrites_;
    bool reads_;
    Arrays arrays_;
    std::unique_ptr<baseline::Mover> mover_;
    std::uint64_t iteration_ = 0;
    double read_ = 0;
};

}  // namespace transrank::lab::study::ghost
