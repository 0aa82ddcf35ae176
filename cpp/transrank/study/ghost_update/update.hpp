// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "transrank/measure/operation.hpp"
#include "transrank/route/route.hpp"
#include "transrank/study/study.hpp"
#include "transrank/transport/field.hpp"

namespace transrank::study::ghost_update {

/// The arrays of a rank, rows of `vdim` doubles, and what keeps them.
struct Arrays {
    std::span<double> owned;
    std::span<double> ghosts;
    std::shared_ptr<const void> owner;  ///< null where the workspace has them
};

/// This rank's route of a pattern of the axis: `corrected`, `literal`, `remote`.
[[nodiscard]] route::Route make_route(const std::string& pattern, int rank, int ranks);

[[nodiscard]] std::int64_t rows_received(const route::Route& route);

/// What every way of updating has in common: contents, modes, checks.
class Update : public measure::Operation {
public:
    Update(const measure::Case& point, const Setting& setting, Arrays arrays);

    void fill(std::uint64_t stamp) final;
    void prepare() final;
    void run(std::int64_t repetitions) final;
    std::uint64_t verify(std::int64_t repetitions) final;

protected:
    /// Around each time that the owner may rewrite its block. Not timed.
    virtual void before_rewriting() {}
    virtual void after_rewriting() {}
    /// Brings the ghosts up to date. Timed.
    virtual void update() = 0;
    /// The route by which the ghosts are to be checked.
    [[nodiscard]] virtual const route::Route& expected() const { return route_; }
    [[nodiscard]] const route::Route& route() const { return route_; }
    [[nodiscard]] std::int64_t row_bytes() const {
        return vdim_ * static_cast<std::int64_t>(sizeof(double));
    }
    [[nodiscard]] transport::Field field() const;

private:
    [[nodiscard]] double first_value(int owner) const;
    void rewrite();
    void read_ghosts();
    void check(int owner, std::int64_t source_row, std::int64_t ghost_row, std::int64_t rows) const;

    int rank_;
    int ranks_;
    std::int64_t vdim_;
    bool rewrites_;
    bool reads_;
    Arrays arrays_;
    route::Route route_;
    std::uint64_t iteration_ = 0;
    double read_ = 0;
};

}  // namespace transrank::study::ghost_update
