// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/exchange.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include "c/calls.hpp"
#include "c/options.hpp"
#include "c/shared_arrays.hpp"

using namespace transrank;
using c::Arguments;
using c::attempt;

namespace transrank::c {

void check_options(const Arguments& arguments, const transrank_options* given) {
    if (given != nullptr) {
        (void)arguments.choice(given->operation, copy::Operation::max, "operation");
    }
}

exchange::Options options_of(const transrank_options* given) {
    exchange::Options options;
    if (given == nullptr) {
        return options;
    }
    if (given->operation >= TRANSRANK_ASSIGN && given->operation <= TRANSRANK_MAX) {
        options.operation = static_cast<copy::Operation>(given->operation);
    }
    if (given->transport != nullptr) {
        options.transport = given->transport;
    }
    if (given->longest_message_bytes != 0) {
        options.longest_message_bytes = given->longest_message_bytes;
    }
    return options;
}

}  // namespace transrank::c

namespace {

copy::Field field_of(const Arguments& arguments, const transrank_field& given) {
    return {.source = static_cast<const std::byte*>(given.source),
            .source_bytes = given.source_bytes,
            .destination = static_cast<std::byte*>(given.destination),
            .destination_bytes = given.destination_bytes,
            .unit_bytes = given.unit_bytes,
            .scalar = arguments.choice(given.scalar, copy::Scalar::float64, "scalar"),
            .keep_alive = c::owner_of(given.source, given.destination)};
}

exchange::Parts parts_of(const Arguments& arguments, const transrank_route* route, int count,
                         const transrank_field* given) {
    std::vector<copy::Field> fields;
    for (const auto& each : arguments.list(count, given, "the fields")) {
        fields.push_back(field_of(arguments, each));
    }
    return {.route = arguments.object(route).value, .fields = std::move(fields)};
}

// Called in each step: what an error needs is made for an error only.
exchange::Exchange& open(const transrank_exchange* exchange) {
    if (auto* const object = c::object_of(exchange)) [[likely]] {
        return object->bound;
    }
    return Arguments().object(exchange).bound;
}

int& answer(int* place) {
    return place != nullptr ? *place : *Arguments().pointer(place, "the place of the answer");
}

}  // namespace

int transrank_exchange_bind(MPI_Comm comm, const transrank_route* route, int count,
                            const transrank_field* fields, const transrank_options* options,
                            transrank_exchange** exchange) {
    return c::create_by(comm, exchange, [&, name = __func__](const auto& with_result) {
        const auto known = exchange::KnownCommunicator::get(comm);
        const mpi::Call call(known->base(), name);
        const auto make = with_result([&](const Arguments& arguments) {
            c::check_options(arguments, options);
            return parts_of(arguments, route, count, fields);
        });
        return c::Exchange{exchange::Exchange(
            comm, [&] { return make(Arguments(c::rank_of(comm))); }, c::options_of(options))};
    });
}

int transrank_exchange_start(transrank_exchange* exchange) {
    return attempt([&] { open(exchange).start(); });
}

int transrank_exchange_test(transrank_exchange* exchange, int* done) {
    return attempt([&] {
        int& over = answer(done);
        over = open(exchange).test() ? 1 : 0;
    });
}

int transrank_exchange_wait(transrank_exchange* exchange) {
    return attempt([&] { open(exchange).wait(); });
}

int transrank_exchange_wait_for(transrank_exchange* exchange, double seconds, int* done) {
    return attempt([&] {
        int& over = answer(done);
        over = open(exchange).wait_for(seconds) ? 1 : 0;
    });
}

int transrank_exchange_run(transrank_exchange* exchange) {
    return attempt([&] { open(exchange).run(); });
}

int transrank_exchange_abandon(transrank_exchange* exchange, const char* why) {
    return attempt([&] { open(exchange).abandon(Arguments().pointer(why, "the reason")); });
}

int transrank_exchange_explain(transrank_exchange* exchange, const char** text) {
    return attempt([&] {
        const char*& shown = *Arguments().pointer(text, "the place of the text");
        auto& [bound, explanation] = Arguments().object(exchange);
        explanation = bound.explain();
        shown = explanation.c_str();
    });
}
