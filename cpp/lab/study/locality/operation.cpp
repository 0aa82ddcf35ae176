// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/locality/operation.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "lab/machine/domains.hpp"
#include "lab/machine/process.hpp"
#include "lab/study/locality/pages.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/collectives.hpp"

namespace transrank::lab::study::locality {
namespace {

/// This rank's memory, first touched by it. The cases of a group share it: they are measured one
/// after another, and a page stays where it was first touched.
std::shared_ptr<memory::SharedSegment> touched(std::size_t bytes) {
    static std::weak_ptr<memory::SharedSegment> last;
    auto segment = last.lock();
    if (!segment || segment->bytes().size() < bytes) {
        segment = std::make_shared<memory::SharedSegment>(bytes);
        std::ranges::fill(segment->bytes(), std::byte{0});
        last = segment;
    }
    return segment;
}

/// What a rank reports of its memory.
struct Told {
    int toucher;
    int domain;
    int package;
    int data_domain;
    int link;
    int pages;
    int pages_elsewhere;
    int pages_unknown;
};

struct Column {
    std::string_view name;
    int Told::* member;
};
constexpr std::array columns{Column{"toucher", &Told::toucher},
                             Column{"domain", &Told::domain},
                             Column{"package", &Told::package},
                             Column{"data_domain", &Told::data_domain},
                             Column{"pages", &Told::pages},
                             Column{"pages_elsewhere", &Told::pages_elsewhere},
                             Column{"pages_unknown", &Told::pages_unknown}};

}  // namespace

Seat own_seat() {
    const auto cpus = machine::allowed_cpus();
    const auto domains = machine::read_domains();
    const int domain = machine::domain_of(cpus, domains);
    if (domain < 0) {
        throw std::invalid_argument("the CPUs " + cpus + " of a rank on " + machine::host_name() +
                                    " lie in several memory domains; bind each rank to a core");
    }
    const auto found = std::ranges::find(domains, domain, &machine::Domain::number);
    return {.package = found == domains.end() ? 0 : found->package, .domain = domain};
}

PlacedOperation::PlacedOperation(const mpi::Communicator& comm, const Seat& seat,
                                 const std::string& arrangement, std::size_t count)
    : comm_(comm), node_(comm.split_node()), seats_(mpi::gathered(node_, seat)) {
    const std::size_t bytes = count * sizeof(double);
    mpi::agree(comm_, [&] {
        toucher_ = assign(arrangement, seats_)[static_cast<std::size_t>(node_.rank())];
        own_ = touched(bytes);
    });
    const auto handles = mpi::gathered(node_, own_->handle());
    mpi::agree(comm_, [&] {
        std::span<std::byte> used = own_->bytes();
        if (toucher_ != node_.rank()) {
            used_ = memory::MappedSegment::get(handles[static_cast<std::size_t>(toucher_)]);
            used = used_->bytes();
        }
        data_ = {reinterpret_cast<double*>(used.data()), count};
    });
}

void PlacedOperation::describe(text::JsonWriter& json) {
    const auto& own = seats_[static_cast<std::size_t>(node_.rank())];
    const auto& of_toucher = seats_[static_cast<std::size_t>(toucher_)];
    const auto pages = pages_by_domain(std::as_bytes(data_));
    const auto touchers = mpi::gathered(node_, comm_.rank());
    Told told{.toucher = touchers[static_cast<std::size_t>(toucher_)],
              .domain = own.domain,
              .package = own.package,
              .data_domain = main_domain(pages),
              .link = static_cast<int>(link_between(own.domain, of_toucher.domain, seats_)),
              .pages = 0,
              .pages_elsewhere = 0,
              .pages_unknown = 0};
    for (const auto& [domain, count] : pages) {
        told.pages += count;
        told.pages_unknown += domain < 0 ? count : 0;
        told.pages_elsewhere += domain >= 0 && domain != of_toucher.domain ? count : 0;
    }
    const auto all = mpi::gathered(comm_, told);
    json.key("memory").begin_object();
    for (const auto& column : columns) {
        json.key(column.name).begin_array();
        for (const auto& one : all) {
            json.value(one.*column.member);
        }
        json.end_array();
    }
    json.key("link").begin_array();
    for (const auto& one : all) {
        json.value(name(static_cast<Link>(one.link)));
    }
    json.end_array();
    describe_kernel(json);
    json.end_object();
}

}  // namespace transrank::lab::study::locality
