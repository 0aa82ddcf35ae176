// SPDX-License-Identifier: BSD-3-Clause
#include "launch_facts.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <vector>

#include "lab/machine/domains.hpp"
#include "lab/machine/process.hpp"
#include "settings.hpp"
#include "transrank/mpi/collectives.hpp"
#include "transrank/mpi/error.hpp"
#include "transrank/mpi/library.hpp"

namespace transrank::lab::runner {
namespace {

constexpr std::size_t fact_bytes = 256;
using Fact = std::array<char, fact_bytes>;

// One text per rank on rank 0; longer texts are cut.
std::vector<std::string> gather(const std::string& own, const mpi::Communicator& world) {
    Fact fact{};
    own.copy(fact.data(), fact.size() - 1);
    std::vector<Fact> facts(world.rank() == 0 ? static_cast<std::size_t>(world.size()) : 0);
    mpi::check(MPI_Gather(fact.data(), fact_bytes, MPI_CHAR, facts.data(), fact_bytes, MPI_CHAR, 0,
                          world.handle()),
               "MPI_Gather");
    std::vector<std::string> texts;
    std::ranges::transform(facts, std::back_inserter(texts),
                           [](const Fact& one) { return std::string(one.data()); });
    return texts;
}

void write_mpi(text::JsonWriter& json) {
    int version = 0;
    int subversion = 0;
    int level = 0;
    mpi::check(MPI_Get_version(&version, &subversion), "MPI_Get_version");
    mpi::check(MPI_Query_thread(&level), "MPI_Query_thread");
    const char* thread_level = level == MPI_THREAD_MULTIPLE     ? "multiple"
                               : level == MPI_THREAD_SERIALIZED ? "serialized"
                               : level == MPI_THREAD_FUNNELED   ? "funneled"
                                                                : "single";
    json.key("mpi").begin_object();
    json.key("library").value(library_version());
    json.key("standard").array(std::array{version, subversion});
    json.key("thread_level").value(thread_level).key("limits").begin_object();
    for (const auto& [name, bytes] : message_limits()) {
        json.key(name).value(bytes);
    }
    json.end_object().end_object();
}

void write_placement(const mpi::Communicator& world, text::JsonWriter& json) {
    const auto host_of = gather(machine::host_name(), world);
    const auto binding = gather(machine::allowed_cpus(), world);
    const auto domain = machine::domain_of(machine::allowed_cpus(), machine::read_domains());
    std::vector<std::string> hosts;
    std::vector<std::size_t> rank_host;
    for (const auto& host : host_of) {
        const auto found = std::ranges::find(hosts, host);
        rank_host.push_back(static_cast<std::size_t>(found - hosts.begin()));
        if (found == hosts.end()) {
            hosts.push_back(host);
        }
    }
    json.key("placement").begin_object();
    json.key("hosts").array(hosts).key("rank_host").array(rank_host).key("binding").array(binding);
    json.key("cores").array(mpi::gathered(world, machine::current_cpu()));
    json.key("domains").array(mpi::gathered(world, domain)).end_object();
}

void write_clock(const machine::ClockQuality& quality, text::JsonWriter& json) {
    json.key("clock").begin_object();
    json.key("name").value("clock_gettime(CLOCK_MONOTONIC)");
    json.key("resolution_seconds").value(quality.resolution_seconds);
    json.key("cost_seconds").value(quality.cost_seconds).end_object();
}

}  // namespace

std::string library_version() {
    auto version = mpi::library_version();
    version.erase(std::min(version.find('\n'), version.size()));
    std::istringstream words(version);
    std::string line;
    for (std::string word; words >> word;) {
        line += (line.empty() ? "" : " ") + word;
    }
    return line;
}

void write_launch_facts(const mpi::Communicator& world, const machine::ClockQuality& clock,
                        text::JsonWriter& json) {
    write_mpi(json);
    write_placement(world, json);
    write_clock(clock, json);
}

}  // namespace transrank::lab::runner
