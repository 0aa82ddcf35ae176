// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/exchange.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "c/calls.hpp"
#include "transrank/copy/view.hpp"

using namespace transrank;
using c::Arguments;
using c::attempt;

namespace transrank::c {

void check_options(const Arguments& arguments, const transrank_options* given) {
    if (given != nullptr) {
        (void)arguments.choice(given->operation, copy::Operation::max, "operation");
        layout::require(given->sets >= 0, given->sets, " sets of arrays", arguments.where(),
                        "; give 0 or more");
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
    options.any_memory = given->any_memory != 0;
    options.together = given->together != 0;
    return options;
}

}  // namespace transrank::c

namespace {

std::shared_ptr<const copy::View> view_of(const Arguments& arguments, const transrank_view* given,
                                          std::int64_t bytes) {
    if (given == nullptr) {
        return nullptr;
    }
    std::vector<copy::View::Dimension> dimensions;
    auto held = static_cast<std::uint64_t>(given->element_bytes);
    for (const auto& [count, stride_bytes] :
         arguments.list(given->count, given->dimensions, "the dimensions of a view")) {
        dimensions.push_back({.count = count, .stride = stride_bytes});
        held *= static_cast<std::uint64_t>(count);
    }
    auto view = copy::View::of(std::move(dimensions), given->element_bytes);  // the product fits
    layout::require(held == static_cast<std::uint64_t>(bytes), "the elements of a view",
                    arguments.where(), " have ", held, " bytes, the array ", bytes);
    return view;
}

std::vector<copy::Field> fields_of(const Arguments& arguments, int count,
                                   const transrank_field* given) {
    std::vector<copy::Field> fields;
    for (const auto& each : arguments.list(count, given, "the fields")) {
        fields.push_back({.source = static_cast<const std::byte*>(each.source),
                          .source_bytes = each.source_bytes,
                          .destination = static_cast<std::byte*>(each.destination),
                          .destination_bytes = each.destination_bytes,
                          .unit_bytes = each.unit_bytes,
                          .scalar = arguments.choice(each.scalar, copy::Scalar::float64, "scalar"),
                          .keep_alive = c::owner_of(each.source, each.destination),
                          .source_view = view_of(arguments, each.source_view, each.source_bytes),
                          .destination_view =
                              view_of(arguments, each.destination_view, each.destination_bytes)});
    }
    return fields;
}

exchange::Parts parts_of(const Arguments& arguments, const transrank_route* route, int count,
                         const transrank_field* given, int sets) {
    exchange::Parts parts{.route = arguments.object(route).value, .fields = {}};
    for (int set = 0; set < std::max(sets, 1); ++set) {
        (set == 0 ? parts.fields : parts.others.emplace_back()) =
            fields_of(arguments, count, given);
        given += count;
    }
    return parts;
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
            return parts_of(arguments, route, count, fields,
                            options != nullptr ? options->sets : 1);
        });
        return c::Exchange{exchange::Exchange(
            comm, [&] { return make(Arguments(c::rank_of(comm))); }, c::options_of(options))};
    });
}

int transrank_exchange_start(transrank_exchange* exchange) {
    return attempt([&] { open(exchange).start(); });
}

int transrank_exchange_start_with(transrank_exchange* exchange, int count,
                                  const transrank_field* fields) {
    return attempt([&] { open(exchange).start_with(fields_of(Arguments(), count, fields)); });
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

int transrank_exchange_run_with(transrank_exchange* exchange, int count,
                                const transrank_field* fields) {
    return attempt([&] { open(exchange).run_with(fields_of(Arguments(), count, fields)); });
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
