// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/exchange.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>

#include "transrank/exchange/backoff.hpp"
#include "transrank/exchange/engine.hpp"
#include "transrank/exchange/known_communicator.hpp"
#include "transrank/exchange/route_backend.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/mpi/lifetime.hpp"
#include "transrank/mpi/point_to_point.hpp"
#include "transrank/transport/tags.hpp"
#include "transrank/transport/transport.hpp"

namespace transrank::exchange {

using transport::BrokenExchange;
using transport::Failure;

namespace {

using Clock = std::chrono::steady_clock;

// How often a rank that waits in vain looks whether its peers live, and lets MPI make progress for
// the sake of others.
constexpr std::chrono::milliseconds look_at_peers{100};
constexpr std::chrono::milliseconds look_at_mpi{1};
constexpr int polls_between_looks = 1024;

}  // namespace

class Exchange::State final : public Active {
public:
    State() { Engine::instance().know(*this); }

    ~State() override {
        Engine::instance().forget(*this);
        retire();
        leave_communicator();
    }

    void take(std::unique_ptr<Backend> backend) {
        const std::lock_guard lock(Engine::instance().mutex());
        backend_ = std::move(backend);
    }

    /// With no arrays: those that were bound first.
    void start(std::optional<std::span<const copy::Field>> arrays = std::nullopt) {
        check_ready();
        backend_->take(arrays);
        backend_->begin_epoch();
        begin_to_look();
        ++epoch_;
        over_ = false;
        attempt([&] {
            for (auto& transport : backend_->transports()) {
                transport->start(epoch_);
            }
        });
        active_ = true;
        Engine::instance().add(*this);
    }

    bool test() {
        if (is_idle("test")) {
            (void)Engine::instance().progress(*this);  // the others
            return true;
        }
        if (Engine::instance().progress(*this).own) {
            begin_to_look();
        } else if (!over_) {
            look_around();
        }
        return finish_if_over();
    }

    bool wait_for(double seconds) {
        if (is_idle("wait")) {
            return true;
        }
        std::optional<Clock::time_point> begin;  // the clock is read only once spinning was in vain
        int polls = 0;                           // in which others advanced, and this one did not
        Backoff backoff(backend_->node().oversubscribed());
        while (!finish_if_over()) {
            const auto progress = Engine::instance().progress(*this);
            if (progress.own || progress.others) {
                backoff.reset();
            }
            if (progress.own) {
                begin_to_look();
            } else if (!over_ && (progress.others ? ++polls % polls_between_looks == 0
                                                  : backoff.pause(over_))) {
                look_around();
                const auto now = Clock::now();
                if (!begin) {
                    begin = now;
                }
                const std::chrono::duration<double> waited = now - *begin;
                if (!over_ && waited.count() >= seconds) {
                    return false;
                }
            }
        }
        return true;
    }

    void run(std::optional<std::span<const copy::Field>> arrays = std::nullopt) {
        if (!active_ && runs_in_mpi()) {
            check_ready();
            backend_->take(arrays);
            attempt([&] { backend_->run_in_mpi(); });
            check_unbroken();
            ++epoch_;
            return;
        }
        if (!active_ || arrays) {
            start(arrays);
        }
        (void)wait_for(std::numeric_limits<double>::infinity());
    }

    [[nodiscard]] bool is_under_way() const noexcept { return active_; }
    [[nodiscard]] bool runs_in_mpi() const { return backend().runs_in_mpi(); }

    void leave() noexcept override {
        if (!backend_) {
            return;
        }
        if (!over_) {
            give_up({.cause = Failure::Cause::failed, .rank = backend_->rank()}, nullptr);
        } else if (!broken_) {
            announce({.cause = Failure::Cause::gone, .rank = backend_->rank()});
        }
    }

    bool progress() noexcept override {
        if (over_) {
            return false;
        }
        bool advanced = false;
        bool done = false;
        attempt([&] {
            for (auto& transport : backend_->transports()) {
                advanced |= transport->progress();
            }
            done = std::ranges::all_of(backend_->transports(),
                                       [](const auto& each) { return each->done(); });
        });
        if (done) {
            over_ = true;
        }
        return advanced || over_;
    }

    [[nodiscard]] bool is_over() const noexcept override { return over_; }

    [[nodiscard]] transport::Polling polling() const override {
        auto most = transport::Polling::none;
        for (const auto& each : backend_->transports()) {
            if (!each->done()) {
                most = std::max(most, each->polling());
            }
        }
        return most;
    }

    [[nodiscard]] std::unique_ptr<Backend> let_go(const memory::Node& node) override {
        if (!backend_ || &backend_->node() != &node) {
            return nullptr;
        }
        is_freed_ = true;
        return active_ ? nullptr : let_go();
    }

    [[noreturn]] void abandon(const std::string& why, Failure::Cause cause) {
        const std::lock_guard lock(Engine::instance().mutex());
        give_up({.cause = cause, .rank = backend().rank()}, std::make_exception_ptr(Misuse(why)));
        retire();
        std::rethrow_exception(error_);
    }

    [[nodiscard]] std::string explain() const { return backend().explain(); }

private:
    [[nodiscard]] Backend& backend() const {
        if (!backend_) {
            throw Misuse(
                "the communicator of this exchange has been freed; bind a new one over another");
        }
        return *backend_;
    }

    // The communicator has been freed, and nothing is under way.
    std::unique_ptr<Backend> let_go() {
        leave_communicator();
        return std::move(backend_);
    }

    void leave_communicator() noexcept {
        if (backend_) {
            leave();
            backend_->leave_communicator(epoch_, mpi_works_);
        }
    }

    void check_ready() {
        check_unbroken();
        (void)backend();
        if (active_) {
            misuse("start was called twice without wait");
        }
        if (const auto why = backend_->reason_against(); !why.empty()) {
            abandon(why, Failure::Cause::failed);
        }
    }

    void check_unbroken() const {
        if (error_) {
            std::rethrow_exception(error_);
        }
    }

    // Whether an epoch is over, and none under way.
    bool is_idle(const char* call) {
        if (active_) {
            return false;
        }
        if (broken_ || epoch_ == 0) {
            check_unbroken();
            (void)backend();
            misuse(std::string(call) + " was called before the first start");
        }
        return true;
    }

    // Runs a part of the exchange; what it throws is kept, and the peers are notified.
    template <class Work>
    void attempt(const Work& work) noexcept {
        try {
            work();
        } catch (const BrokenExchange& error) {
            give_up(error.failure(), std::current_exception());
        } catch (const mpi::Error&) {
            mpi_works_ = false;
            fail(rank_that_ended());
        } catch (...) {
            fail(std::nullopt);
        }
    }

    // Of the error that is being handled, or because a rank has ended.
    void fail(std::optional<int> ended) noexcept {
        if (ended) {
            const Failure failure{.cause = Failure::Cause::ended, .rank = *ended};
            give_up(failure, std::make_exception_ptr(BrokenExchange(failure)));
        } else {
            give_up({.cause = Failure::Cause::failed, .rank = backend_->rank()},
                    std::current_exception());
        }
    }

    // MPI fails when it reads from the memory of a process that is ending; that it has ended is
    // seen a little later.
    [[nodiscard]] std::optional<int> rank_that_ended() const noexcept try {
        constexpr int looks = 100;
        constexpr std::chrono::milliseconds between{10};
        for (int i = 0; i < looks; ++i) {
            for (int rank = 0; rank < backend_->comm().size(); ++rank) {
                if (has_ended(rank)) {
                    return rank;
                }
            }
            std::this_thread::sleep_for(between);
        }
        return std::nullopt;
    } catch (...) {
        return std::nullopt;
    }

    [[nodiscard]] bool has_ended(int rank) const { return backend_->node().has_ended(rank); }

    void give_up(const Failure& failure, std::exception_ptr error) noexcept {
        error_ = std::move(error);
        broken_ = true;
        announce(failure);
        over_ = true;
    }

    void announce(const Failure& failure) noexcept {
        const auto completed = over_ ? epoch_ : epoch_ - 1;
        for (auto& transport : backend_->transports()) {
            try {
                transport->announce(failure, completed);
            } catch (...) {  // NOLINT(bugprone-empty-catch): the first error is the one to report
            }
        }
    }

    [[noreturn]] void misuse(const std::string& what) {
        abandon(what + " on rank " + std::to_string(backend_->rank()) +
                    "; the exchange is broken, bind a new one",
                Failure::Cause::misuse);
    }

    bool finish_if_over() {
        if (!over_) {
            return false;
        }
        retire();
        if (is_freed_) {
            std::unique_ptr<Backend> last_use;  // destroyed without the mutex
            const std::lock_guard lock(Engine::instance().mutex());
            last_use = let_go();
        }
        check_unbroken();
        return true;
    }

    void retire() noexcept {
        if (active_) {
            Engine::instance().remove(*this);
            active_ = false;
        }
    }

    void begin_to_look() noexcept {
        peers_due_.reset();
        mpi_due_.reset();
    }

    // Nothing has advanced: perhaps for reasons that lie outside the exchanges.
    void look_around() {
        if (mpi_due_.is_due()) {
            let_mpi_progress();
        }
        if (peers_due_.is_due()) {
            check_alive();
        }
    }

    // A message of the user's, or of a library's, may need calls of this rank's MPI to get through,
    // and its sender may be the one that this rank waits for.
    void let_mpi_progress() {
        if (mpi::is_usable() && mpi::may_call_here()) {
            (void)mpi::arrived(backend_->comm().handle(), MPI_ANY_SOURCE, transport::unsent_tag);
        }
    }

    void check_alive() {
        const std::lock_guard lock(Engine::instance().mutex());
        for (const int rank : awaited()) {
            if (has_ended(rank) && still_awaits(rank)) {
                fail(rank);
                return;
            }
        }
    }

    [[nodiscard]] std::vector<int> awaited() const {
        std::vector<int> ranks;
        if (!over_) {
            for (const auto& transport : backend_->transports()) {
                std::ranges::copy(transport->awaited(), std::back_inserter(ranks));
            }
        }
        return ranks;
    }

    // What a rank did before it ended may arrive after we have looked, and MPI may need several
    // calls to bring it.
    bool still_awaits(int rank) {
        constexpr int enough = 100;
        for (int idle = 0; idle < enough; ++idle) {
            if (Engine::instance().progress(*this).own) {
                idle = 0;
            }
        }
        return std::ranges::count(awaited(), rank) != 0;
    }

    std::unique_ptr<Backend> backend_;
    std::uint64_t epoch_ = 0;
    bool active_ = false;  ///< started, and not yet waited for
    bool broken_ = false;
    bool mpi_works_ = true;
    bool is_freed_ = false;  ///< the communicator, by the user
    std::atomic<bool> over_ = true;
    std::exception_ptr error_;  ///< written before over_
    Recurring peers_due_{look_at_peers};
    Recurring mpi_due_{look_at_mpi};
};

// In a child of fork everything belongs to the parent: flags that its peers read, handles of MPI.
void Exchange::Delete::operator()(State* state) const noexcept {
    if (mpi::is_own_process()) {
        delete state;
    }
}

Exchange::Exchange(route::Route route, MPI_Comm comm, std::vector<copy::Field> fields,
                   const Options& options)
    : Exchange(std::move(route), comm, std::move(fields), {}, options) {}

Exchange::Exchange(route::Route route, MPI_Comm comm, std::vector<copy::Field> fields,
                   std::vector<std::vector<copy::Field>> others, const Options& options)
    : Exchange(
          comm,
          [&] {
              return Parts{.route = std::make_shared<const route::Route>(std::move(route)),
                           .fields = std::move(fields),
                           .others = std::move(others)};
          },
          options) {}

Exchange::Exchange(MPI_Comm comm, const std::function<Parts()>& make, const Options& options)
    : Exchange(comm,
               [&](MPI_Comm over) { return std::make_unique<RouteBackend>(over, make, options); }) {
}

// Once the backend has been made on all ranks, nothing may fail on one of them.
Exchange::Exchange(MPI_Comm comm, const std::function<std::unique_ptr<Backend>(MPI_Comm)>& make) {
    KnownCommunicator::get(comm)->attempt([&] {
        state_.reset(new State);
        state_->take(make(comm));
    });
}

Exchange::~Exchange() = default;
Exchange::Exchange(Exchange&&) noexcept = default;
Exchange& Exchange::operator=(Exchange&&) noexcept = default;

Exchange::State& Exchange::open() const {
    if (!state_) {
        throw Misuse("this exchange has been closed; bind a new one");
    }
    return *state_;
}

Exchange::State& Exchange::usable() const {
    mpi::require_usable();
    return open();
}

void Exchange::start() {
    usable().start();
}

void Exchange::start_with(std::span<const copy::Field> fields) {
    usable().start(fields);
}

bool Exchange::test() {
    return usable().test();
}

void Exchange::wait() {
    (void)wait_for(std::numeric_limits<double>::infinity());
}

bool Exchange::wait_for(double seconds) {
    mpi::require_usable();
    layout::require(!std::isnan(seconds), "the time to wait is not a number");
    return open().wait_for(seconds);
}

void Exchange::run() {
    usable().run();
}

void Exchange::run_with(std::span<const copy::Field> fields) {
    usable().run(fields);
}

bool Exchange::runs_in_mpi() const {
    return open().runs_in_mpi();
}

bool Exchange::is_under_way() const noexcept {
    return state_ && state_->is_under_way();
}

void Exchange::abandon(const std::string& why) {
    usable().abandon(why, Failure::Cause::failed);
}

std::string Exchange::explain() const {
    return open().explain();
}

}  // namespace transrank::exchange
