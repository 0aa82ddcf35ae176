// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "transrank/copy/field.hpp"
#include "transrank/mpi/communicator.hpp"
#include "transrank/mpi/error.hpp"
#include "transrank/route/route.hpp"
#include "transrank/transport/failure.hpp"

namespace transrank::exchange {

/// The environment variable that names the transport of exchanges whose program names none.
inline constexpr const char* transport_variable = "TRANSRANK_TRANSPORT";

/// The same on every rank.
struct Options {
    copy::Operation operation = copy::Operation::assign;
    /// A name of the table of transports, or `auto`: the one that `transport_variable` names, the
    /// same on every rank; where it is not set, for each peer the best that can serve it.
    std::string transport = "auto";
    /// Where direct transport turns from pushing runs to pulling them, in bytes. When absent it is
    /// measured in the first bind of a process that needs it, for all with the same node-mates.
    std::optional<std::int64_t> push_below_bytes;
    /// How transports that copy straight to the destination store there.
    copy::Stores stores = copy::Stores::measured;
    /// Longer messages are split; they are anyway where MPI cannot count their bytes.
    std::int64_t longest_message_bytes = std::numeric_limits<std::int64_t>::max();
    /// Whether each start is given its arrays: any with the types, lengths and views of those that
    /// are bound, which it does not use. Their data go through buffers, without one more copy than
    /// those of private arrays: peers do not reach into them.
    bool any_memory = false;
    /// A promise: no rank puts off its start until a wait of another rank has returned. Where
    /// `auto` chooses, two nodes then send each other one message for all their ranks
    /// (`node-staged`), if that makes fewer. A wait needs every rank that has a part in such a
    /// message, on both nodes, to have started, and the ranks that carry it to test or wait; of a
    /// program that breaks the promise it does not return.
    bool together = false;
};

/// A call in the wrong order: a second start while it is under way, or wait before the first start.
/// The exchange is broken from then on, for the peers too: each learns of it at the latest when it
/// needs something of this rank again. Or any call in a child of fork, or one of an exchange that
/// was closed or moved from, or a start when its communicator has been freed, which breaks nothing.
using mpi::Misuse;

/// The arguments of one rank that binds.
struct Parts {
    std::shared_ptr<const route::Route> route;
    std::vector<copy::Field> fields;
    /// Further sets of arrays, each like `fields`, of which a start may move one in their place;
    /// equally many on every rank, and 255 at most.
    std::vector<std::vector<copy::Field>> others = {};
    /// Asked before each start: why it must not be, empty when it may. It then breaks the exchange
    /// as `abandon` does.
    std::function<std::string()> reason_against = nullptr;
    /// What else must be the same on every rank.
    std::vector<std::string> words = {};
};

class Backend;

/// A route bound to fields and transports: moves them again and again.
///
/// `start` posts, and copies what is ready. From then until `wait` has returned (or `test` said
/// true) the sources must not change and the destinations are undefined; afterwards the
/// destinations hold what was sent and the sources are free: nobody reads them any more. `test` and
/// `wait` make every started exchange of the process advance, a few with each call, so different
/// ranks may wait for theirs in any order. They also let MPI make progress, so that messages which
/// this rank has not asked for reach it.
///
/// Between start and wait a rank must not block on what a peer does only after that peer's wait:
/// in a blocking call of MPI (a barrier that the peer enters later) exchanges do not advance.
/// Binding another exchange is safe: it makes them advance until all ranks have come.
///
/// One thread at a time may use an exchange. Binding, start, test and wait count as calls of MPI:
/// threads that use different exchanges need MPI_THREAD_MULTIPLE, and no two may bind on one
/// communicator at once. A child of fork may destroy the exchanges that it has inherited, which
/// does nothing; whatever else it does with them, or tries to bind, throws Misuse there and leaves
/// the parent's alone.
class Exchange {
public:
    /// Collective. Binds `route` to `fields`, which stay the caller's and must stay where they are.
    /// Throws mpi::AgreedError, the same on every rank and before anything moved: fields shorter
    /// than the route's extents, fields that are written where they or others are read or written,
    /// different numbers or row lengths of fields, routes that do not belong together, an operation
    /// that the row type does not have, a transport that cannot serve a peer.
    Exchange(route::Route route, MPI_Comm comm, std::vector<copy::Field> fields,
             const Options& options = {});
    /// Collective. The same with `others`, further sets of arrays, each like `fields`: each start
    /// moves one of them. `fields` may stand among them once more.
    Exchange(route::Route route, MPI_Comm comm, std::vector<copy::Field> fields,
             std::vector<std::vector<copy::Field>> others, const Options& options = {});
    /// Collective. The same of what `make` returns on each rank; what it throws on one is thrown on
    /// every rank as mpi::AgreedError. It must not communicate.
    Exchange(MPI_Comm comm, const std::function<Parts()>& make, const Options& options = {});
    /// Collective. Drives a backend that moves data in another way than along a route. `make`,
    /// which makes it over the communicator, is collective, too.
    Exchange(MPI_Comm comm, const std::function<std::unique_ptr<Backend>(MPI_Comm)>& make);
    /// Not collective: an exchange may be destroyed at any time after its last wait, in any order
    /// on different ranks. Peers that start once more are notified; where this thread may not call
    /// MPI, or MPI has been finalized, only those that share memory with this rank.
    ///
    /// MPI_Comm_free of `comm` counts as a use of its exchanges. It does the same with those that
    /// are not under way, and the last wait with the others: a later start throws Misuse.
    ~Exchange();
    Exchange(Exchange&&) noexcept;
    Exchange& operator=(Exchange&&) noexcept;

    /// Not collective, but no wait returns until every peer has started, and where one message
    /// serves several ranks of a node, every rank that has a part in it. Throws Misuse when already
    /// started, transport::BrokenExchange when a peer is known to have broken it.
    void start();
    /// The same with these arrays, like those that are bound, in their order: one of the sets, or
    /// with Options::any_memory any others. Other ranks need not know which. They stay the
    /// caller's; nobody uses those of any memory when the wait has returned, or thrown, and their
    /// `keep_alive` is kept until the next start. Throws
    /// std::invalid_argument, starts nothing and breaks nothing where they cannot be moved: they
    /// are not bound, differ in type, length or view, have no address, or are written where they
    /// are read or written by another field.
    void start_with(std::span<const copy::Field> fields);

    /// Whether the exchange is over, true until it is started again; makes progress. Throws Misuse
    /// before the first start, and transport::BrokenExchange when a peer has broken it or ended.
    bool test();

    /// Returns when the exchange is over, at once when it is. Throws as test.
    void wait();

    /// The same with a limit: returns false when the exchange is not over after about `seconds`.
    /// Throws std::invalid_argument when that is not a number.
    bool wait_for(double seconds);

    /// Not collective. Breaks the exchange because it cannot go on, and throws Misuse with the
    /// message `why`. Peers throw transport::BrokenExchange naming this rank.
    [[noreturn]] void abandon(const std::string& why);

    /// Whether it has been started, and not yet waited for.
    [[nodiscard]] bool is_under_way() const noexcept;

    /// Starts, unless it is under way already, and waits; throws Misuse and
    /// transport::BrokenExchange as they do. If `runs_in_mpi`, one blocking call of MPI does both,
    /// and waits for ever for a rank that has ended or never comes; then all ranks run, or all
    /// start.
    void run();
    /// start_with, and wait: throws std::invalid_argument, Misuse and transport::BrokenExchange.
    void run_with(std::span<const copy::Field> fields);
    /// Whether run() is one blocking call of MPI. Throws Misuse when closed.
    [[nodiscard]] bool runs_in_mpi() const;

    /// Peers, bytes, runs, the transport of each peer and why it was chosen, the threshold between
    /// pushing and pulling and how it is known: a text table. Throws Misuse when closed.
    [[nodiscard]] std::string explain() const;

    /// Not collective. Lets go of everything, as the destructor does; later calls throw
    /// Misuse. May be called again.
    void close() noexcept { state_.reset(); }

private:
    class State;
    [[nodiscard]] State& open() const;
    [[nodiscard]] State& usable() const;
    struct Delete {
        void operator()(State* state) const noexcept;
    };
    std::unique_ptr<State, Delete> state_;
};

}  // namespace transrank::exchange
