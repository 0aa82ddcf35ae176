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

/// The environment variable that names the transport of exchanges whose program leaves
/// Options::transport at `auto`.
inline constexpr const char* transport_variable = "TRANSRANK_TRANSPORT";

/// How an exchange works; the options must be the same on every rank.
struct Options {
    copy::Operation operation = copy::Operation::assign;
    /// A name from the table of transports, or `auto`. `auto` uses the transport that the
    /// environment variable `transport_variable` names, or, if it is not set, the best transport
    /// for each peer. The variable must be the same on every rank.
    std::string transport = "auto";
    /// Runs (contiguous pieces) shorter than this are pushed by the transport `shared-direct` (the
    /// sender writes them); other runs are pulled (the receiver reads them). If absent, the limit
    /// is measured when a process first binds an exchange that needs it, for all exchanges among
    /// the same ranks of a node.
    std::optional<std::int64_t> push_below_bytes;
    /// How transports that copy straight to the destination array store the data there.
    copy::Stores stores = copy::Stores::measured;
    /// Messages longer than this are split. Messages of more bytes than MPI can count are always
    /// split.
    std::int64_t longest_message_bytes = std::numeric_limits<std::int64_t>::max();
    /// Whether each start is given its arrays (start_with). They may be any arrays with the types,
    /// lengths and views of the bound arrays; the bound arrays are not used. Peers do not access
    /// the arrays: their data go through buffers, with no more copies than for arrays in private
    /// memory.
    bool any_memory = false;
    /// A promise that no rank waits for another rank's wait to return before it calls start. `auto`
    /// may then choose `node-staged`, if that makes fewer messages: two nodes send each other one
    /// message for all their ranks. A wait then returns only when all ranks with data in such a
    /// message, on both nodes, have started and the ranks that carry the message test or wait. If
    /// the program breaks the promise, the wait does not return.
    bool together = false;
};

/// Thrown by a call in the wrong order: a second start while an exchange is under way, or a wait
/// before the first start. The exchange is then broken, for the peers too: each learns of it at the
/// latest when it next needs something from this rank. Misuse is also thrown, without breaking the
/// exchange, by any call in a child of fork, by a call of a closed or moved-from exchange, and by a
/// start after the communicator has been freed.
using mpi::Misuse;

/// The arguments of one rank that binds an exchange.
struct Parts {
    std::shared_ptr<const route::Route> route;
    std::vector<copy::Field> fields;
    /// Further sets of arrays, each with the types, lengths and views of `fields`; a start may move
    /// one of them instead of `fields`. Their number is the same on every rank, and at most 255.
    std::vector<std::vector<copy::Field>> others = {};
    /// Called before each start. Returns the reason why the exchange must not start, or an empty
    /// text if it may start. A reason breaks the exchange as `abandon` does.
    std::function<std::string()> reason_against = nullptr;
    /// Texts about anything else that must be the same on every rank; ranks compare them.
    std::vector<std::string> words = {};
};

class Backend;

/// A route bound to fields (arrays) and transports. Each start moves the data of the fields once.
///
/// `start` posts messages, and copies what is ready. From then until `wait` has returned (or `test`
/// has returned true), the sources must not change, and the contents of the destinations are
/// undefined. Afterwards, the destinations hold the data that were sent, and nobody reads the
/// sources any more. `test` and `wait` make every started exchange of the process advance, a few
/// with each call, so ranks may wait for exchanges in different orders. `test` and `wait` also let
/// MPI make progress with the program's own messages.
///
/// Between start and wait, a rank must not block in an MPI call that returns only after a peer's
/// wait (such as a barrier that the peer enters later), because exchanges do not advance in a
/// blocking MPI call. Binding another exchange is safe: it makes started exchanges advance until
/// all ranks have come.
///
/// One thread at a time may use an exchange. Binding, start, test and wait count as MPI calls:
/// threads that use different exchanges need MPI_THREAD_MULTIPLE, and no two threads may bind on
/// one communicator at once. A child of fork may destroy the exchanges that it has inherited; this
/// has no effect. If the child uses them in any other way, or binds an exchange, the call throws
/// Misuse and does not affect the parent.
class Exchange {
public:
    /// Collective. Binds `route` to `fields`. The arrays remain the caller's and must stay where
    /// they are. Throws mpi::AgreedError, the same on every rank and before data move, if fields
    /// are shorter than the route's extents, the route writes a unit where it reads or where it
    /// writes a unit of another field, ranks have different numbers or row lengths of fields, their
    /// routes do not belong together, the row type does not have the operation, or a transport
    /// cannot serve a peer.
    Exchange(route::Route route, MPI_Comm comm, std::vector<copy::Field> fields,
             const Options& options = {});
    /// Collective. As the constructor with `fields` alone, but also binds `others`: further sets of
    /// arrays, each with the types, lengths and views of `fields`. Each start moves one set.
    /// `others` may contain `fields` again.
    Exchange(route::Route route, MPI_Comm comm, std::vector<copy::Field> fields,
             std::vector<std::vector<copy::Field>> others, const Options& options = {});
    /// Collective. As the constructor with `route` and `fields`, but binds the route and the fields
    /// that `make` returns on each rank. `make` must not communicate. If it throws on a rank, every
    /// rank throws mpi::AgreedError.
    Exchange(MPI_Comm comm, const std::function<Parts()>& make, const Options& options = {});
    /// Collective. Makes an exchange whose data are moved by a backend instead of along a route.
    /// `make` is collective, too; it makes the backend over the communicator that it is given.
    Exchange(MPI_Comm comm, const std::function<std::unique_ptr<Backend>(MPI_Comm)>& make);
    /// Not collective: an exchange may be destroyed at any time after its last wait, in any order
    /// on different ranks. Peers that start again are notified. If this thread may not call MPI, or
    /// MPI has been finalized, only peers that share memory with this rank are notified.
    ///
    /// MPI_Comm_free of `comm` counts as a use of its exchanges. It ends exchanges that are not
    /// under way; the others end with their last wait. A later start throws Misuse.
    ~Exchange();
    Exchange(Exchange&&) noexcept;
    Exchange& operator=(Exchange&&) noexcept;

    /// Not collective. Starts moving the data. A wait returns only after every peer has started. If
    /// one message serves several ranks of a node, all ranks that have data in it must have
    /// started, too. Throws Misuse if the exchange is already started, transport::BrokenExchange if
    /// a peer is known to have broken it, and std::invalid_argument if Options::any_memory is set
    /// (use start_with then).
    void start();
    /// As start, but moves the arrays of `fields`, in the order of the bound fields: one of the
    /// bound sets or, with Options::any_memory, any arrays like the bound ones. Each rank may
    /// choose its arrays without telling other ranks. The arrays remain the caller's. With
    /// any_memory, nobody uses them after the wait has returned or thrown, and their `keep_alive`
    /// is kept until the next start. Throws as start. Throws std::invalid_argument, and neither
    /// starts nor breaks the exchange, if the arrays are not bound, differ from the bound ones in
    /// type, length or view, have no address, or are written where another field reads or writes.
    void start_with(std::span<const copy::Field> fields);

    /// Makes progress, and returns whether the exchange is over. Once the exchange is over, `test`
    /// returns true until the next start. Throws Misuse before the first start, and
    /// transport::BrokenExchange if a peer has broken the exchange or its process has ended.
    bool test();

    /// Waits until the exchange is over; returns at once if it already is. Throws as test.
    void wait();

    /// As wait, but returns false if the exchange is not over after about `seconds` seconds,
    /// otherwise true. Throws as test, and std::invalid_argument if `seconds` is not a number.
    bool wait_for(double seconds);

    /// Not collective. Breaks the exchange because this rank cannot continue it, and throws Misuse
    /// with the message `why`. Peers throw transport::BrokenExchange, which names this rank.
    [[noreturn]] void abandon(const std::string& why);

    /// Whether the exchange has been started, and no wait or test has ended it yet.
    [[nodiscard]] bool is_under_way() const noexcept;

    /// Starts the exchange, unless it is under way already, and waits until it is over. Throws
    /// Misuse and transport::BrokenExchange as start and wait do. If `runs_in_mpi` returns true,
    /// one blocking MPI call replaces start and wait. This call waits forever for a rank that has
    /// ended or never comes, so all ranks must make the same call: either all call run, or all call
    /// start.
    void run();
    /// Calls start_with with `fields`, then wait. Throws std::invalid_argument, Misuse and
    /// transport::BrokenExchange as start_with and wait do.
    void run_with(std::span<const copy::Field> fields);
    /// Whether run() makes one blocking MPI call instead of start and wait. Throws Misuse if the
    /// exchange is closed.
    [[nodiscard]] bool runs_in_mpi() const;

    /// A text table of the peers. For each peer, it shows the bytes, the runs (contiguous pieces),
    /// the transport, and why it was chosen. It also shows the threshold between pushing and
    /// pulling, and how it was determined. Throws Misuse if the exchange is closed.
    [[nodiscard]] std::string explain() const;

    /// Not collective. Releases all that the exchange holds, as the destructor does; later calls
    /// throw Misuse. Calling `close` again has no effect.
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
