// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace transrank::lab::study::locality {

/// Where a worker (a rank with a core of its own) computes.
struct Seat {
    int package;
    int domain;  ///< numbers of one host; each domain belongs to one package
};

/// How the memory of a domain is reached from another one.
enum class Link { own, neighbor, counterpart, diagonal };
/// `own`; `neighbor`: in the same package; `counterpart`: at the same place in another package;
/// `diagonal`: at another place in another package.
[[nodiscard]] std::string_view name(Link link);

/// The link between two domains among those that `seats` name.
[[nodiscard]] Link link_between(int domain, int other, const std::vector<Seat>& seats);

/// Whose data each worker uses. `own`: the one that it touched first. `exchanged`: the lower half
/// of each domain's workers keep their own, the others swap with the worker at their position of
/// the neighboring domain, of the counterpart and of the diagonal one in turn; where a node lacks
/// one of these domains, the others take its place. `away-K`: that of the worker at the same
/// position K domains farther on, around. A worker without a counterpart at its position keeps its
/// own data. Throws std::invalid_argument where the seats have one domain only, or fewer than K + 1
/// of them, unless the arrangement is `own`.
/// Source of `exchanged`: Good Practice Guide, Preparing for HECToR Phase IIb, appendix, figure 3.
[[nodiscard]] std::vector<int> assign(std::string_view arrangement, const std::vector<Seat>& seats);

}  // namespace transrank::lab::study::locality
