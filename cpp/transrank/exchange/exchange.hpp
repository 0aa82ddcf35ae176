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

/// The environment variable that names the transport for exchanges whose program names none.
inline constexpr const char* transport_variable = "TRANSRANK_TRANSPORT";

/// How an exchange works; must be the same on every rank.
struct Options {
    copy::Operation operation = copy::Operation::assign;
    /// A name from the table of transports, or `auto`. `auto` uses the transport that the
    /// environment variable `transport_variable` names, or, if it is not set, the best transport
    /// for each peer. The variable must be the same on every rank.
    std::string transport = "auto";
    /// Runs (contiguous pieces) of fewer bytes are pushed by `shared-direct` (the sender writes
    /// them); the others are pulled (the receiver reads them). If absent, measured at the first
    /// bind of a process that needs it, for all exchanges among the same ranks of a node.
    std::optional<std::int64_t> push_below_bytes;
    /// How transports that copy straight to the destination array store there.
    copy::Stores stores = copy::Stores::measured;
    /// Longer messages are split. Messages whose bytes MPI cannot count are always split.
    std::int64_t longest_message_bytes = std::numeric_limits<std::int64_t>::max();
    /// Whether each start is given its arrays (start_with): any arrays with the types, lengths and
    /// views of the bound arrays, which it does not use. Their data go through buffers, with no
    /// more copies than for private arrays: peers do not access them.
    bool any_memory = false;
    /// A promise: no rank waits for another rank's wait to return before it calls start. `auto` may
    /// then choose `node-staged`: two nodes send each other one message for all their ranks, if
    /// that makes fewer messages. A wait returns only when all ranks with data in such a message,
    /// on both nodes, have started, and the ranks that carry it test or wait; if the program breaks
    /// the promise, the wait does not return.
    bool together = false;
};

/// Thrown by a call in the wrong order: a second start while an exchange is under way, or a wait
/// before the first start. The exchange is then broken, for the peers too: each learns of it at the
/// latest when it next needs something of this rank. Also thrown, without breaking anything, by any
/// call in a child of fork, a call of a closed or moved-from exchange, and a start after the
/// communicator was freed.
using mpi::Misuse;

/// The arguments of one rank that binds an exchange.
struct Parts {
    std::shared_ptr<const route::Route> route;
    std::vector<copy::Field> fields;
    /// Further sets of arrays, each like `fields`; a start may move one of them instead of
    /// `fields`. Their number is the same on every rank, and 255 at most.
    std::vector<std::vector<copy::Field>> others = {};
    /// Called before each start: returns why the exchange must not start, or an empty text if it
    /// may. A reason breaks the exchange as `abandon` does.
    std::function<std::string()> reason_against = nullptr;
    /// Texts for whatever else must be the same on every rank.
    std::vector<std::string> words = {};
};

class Backend;

/// A route bound to fields (arrays) and transports: moves their data again and again.
///
/// `start` posts messages, and copies what is ready. From then until `wait` has returned (or `test`
/// has returned true), the sources must not change and the destinations are undefined. Afterwards,
/// the destinations hold what was sent, and nobody reads the sources any more. `test` and `wait`
/// make every started exchange of the process advance, a few with each call, so ranks may wait for
/// exchanges in different orders. They also let MPI deliver messages that this rank has not asked
/// for.
///
/// Between start and wait, a rank must not block in an MPI call that returns only after a peer's
/// wait (a barrier that the peer enters later): exchanges do not advance in a blocking MPI call.
/// Binding another exchange is safe: it makes them advance until all ranks have come.
///
/// One thread at a time may use an exchange. Binding, start, test and wait count as MPI calls:
/// threads that use different exchanges need MPI_THREAD_MULTIPLE, and no two threads may bind on
/// one communicator at once. A child of fork may destroy the exchanges that it has inherited, which
/// does nothing. Any other use of them, and binding, throws Misuse there and does not affect the
/// parent.
class Exchange {
public:
    /// Collective. Binds `route` to `fields`, which remain the caller's and must stay where they
    /// are. Throws mpi::AgreedError, the same on every rank and before data move, when fields are
    /// shorter than the route's extents, the route writes where it reads, or where it writes
    /// another field, ranks have different numbers or row lengths of fields, their routes do not
    /// belong together, the row type does not have the operation, or a transport cannot serve a
    /// peer.
    Exchange(route::Route route, MPI_Comm comm, std::vector<copy::Field> fields,
             const Options& options = {});
    /// Collective. As the constructor with `fields` alone, and binds `others` too: further sets of
    /// arrays, each like `fields`. Each start moves one set. `others` may contain `fields` again.
    Exchange(route::Route route, MPI_Comm comm, std::vector<copy::Field> fields,
             std::vector<std::vector<copy::Field>> others, const Options& options = {});
    /// Collective. As the constructor with `route` and `fields`, but binds what `make` returns on
    /// each rank. `make` must not communicate. If it throws on a rank, every rank throws
    /// mpi::AgreedError.
    Exchange(MPI_Comm comm, const std::function<Parts()>& make, const Options& options = {});
    /// Collective. Drives a backend that moves data in another way than along a route. `make`,
    /// which makes the backend over the communicator that it is given, is collective, too.
    Exchange(MPI_Comm comm, const std::function<std::unique_ptr<Backend>(MPI_Comm)>& make);
    /// Not collective: an exchange may be destroyed at any time after its last wait, in any order
    /// on different ranks. Peers that start again are notified. If this thread may not call MPI, or
    /// MPI has been finalized, only peers that share memory with this rank are notified.
    ///
    /// MPI_Comm_free of `comm` counts as a use of its exchanges. It ends those that are not under
    /// way; the others end with their last wait. A later start throws Misuse.
    ~Exchange();
    Exchange(Exchange&&) noexcept;
    Exchange& operator=(Exchange&&) noexcept;

    /// Not collective. Starts moving the data. No wait returns until every peer has started and, if
    /// one message serves several ranks of a node, every rank that has data in it. Throws Misuse
    /// when the exchange is already started, transport::BrokenExchange when a peer is known to have
    /// broken it, and std::invalid_argument with Options::any_memory (use start_with).
    void start();
    /// As start, but moves the arrays of `fields`, in the order of the bound fields: one of the
    /// bound sets or, with Options::any_memory, any arrays like them. Other ranks need not know
    /// which arrays. They remain the caller's. With any_memory, nobody uses them after the wait has
    /// returned or thrown, and their `keep_alive` is kept until the next start. Throws as start.
    /// Throws std::invalid_argument, and neither starts nor breaks the exchange, when the arrays
    /// are not bound, differ in type, length or view, have no address, or are written where another
    /// field reads or writes.
    void start_with(std::span<const copy::Field> fields);

    /// Makes progress, and returns whether the exchange is over: from then on true, until it is
    /// started again. Throws Misuse before the first start, and transport::BrokenExchange when a
    /// peer has broken the exchange or its process has ended.
    bool test();

    /// Returns when the exchange is over, at once if it already is. Throws as test.
    void wait();

    /// As wait, but returns false if the exchange is not over after about `seconds`, otherwise
    /// true. Throws as test, and std::invalid_argument when `seconds` is not a number.
    bool wait_for(double seconds);

    /// Not collective. Breaks the exchange because this rank cannot continue it, and throws Misuse
    /// with the message `why`. Peers throw transport::BrokenExchange, which names this rank.
    [[noreturn]] void abandon(const std::string& why);

    /// Whether the exchange has been started, and neither wait nor test has ended it.
    [[nodiscard]] bool is_under_way() const noexcept;

    /// Starts the exchange, unless it is under way already, and waits until it is over. Throws
    /// Misuse and transport::BrokenExchange as start and wait do. If `runs_in_mpi`, one blocking
    /// MPI call does both. It waits forever for a rank that has ended or never comes; either all
    /// ranks must then call run, or all must call start.
    void run();
    /// Calls start_with for `fields`, and wait. Throws std::invalid_argument, Misuse and
    /// transport::BrokenExchange as they do.
    void run_with(std::span<const copy::Field> fields);
    /// Whether run() makes one blocking MPI call instead of start and wait. Throws Misuse when the
    /// exchange is closed.
    [[nodiscard]] bool runs_in_mpi() const;

    /// A text table of the peers, bytes, runs (contiguous pieces), the transport of each peer and
    /// why it was chosen, and the threshold between pushing and pulling and how it is known. Throws
    /// Misuse when the exchange is closed.
    [[nodiscard]] std::string explain() const;

    /// Not collective. Releases all that the exchange holds, as the destructor does; later calls
    /// throw Misuse. May be called again.
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
