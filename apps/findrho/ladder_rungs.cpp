// SPDX-License-Identifier: BSD-3-Clause
#include "ladder_rungs.hpp"

#include <algorithm>

#include "findrho/core/error.hpp"
#include "findrho/dft/choose_rung.hpp"

namespace findrho {

template <class T>
std::vector<Rung> rungs_for(std::vector<std::string> const& names, bool cuda, ExactSum<T> const& sum) {
  bool const in_double = sizeof(T) == sizeof(double), grid = on_grid(sum);
  std::vector<Rung> chosen;
  for (RungFacts const& f : rung_facts()) {
    bool const asked = names.empty() || std::find(names.begin(), names.end(), f.name) != names.end();
    bool const fits = (f.in_double || !in_double) && (grid || !f.needs_grid);
    if (asked && (cuda ? f.on_gpu : f.on_cpu) && fits) chosen.push_back(f.rung);
  }
  return chosen;
}

template <class T>
void require_runnable(std::vector<std::string> const& names, bool cuda, ExactSum<T> const& sum) {
  bool const grid = on_grid(sum);
  for (std::string const& name : names) {
    RungFacts const& f = find_rung(name);
    auto const refuse = [&](std::string const& why, std::string const& hint) {
      throw Error(ErrorKind::bad_option, "the rung '" + name + "' " + why, hint);
    };
    if (!cuda && !f.on_cpu)
      refuse("runs on a CUDA device only", "on the processor separable_vector is its like");
    if (sizeof(T) == sizeof(double) && !f.in_double)
      refuse("has no double precision", "take --precision single, or another rung");
    if (!grid && f.needs_grid) refuse("needs positions on a grid, which these are not", "take another rung");
  }
}

template std::vector<Rung> rungs_for(std::vector<std::string> const&, bool, ExactSum<float> const&);
template std::vector<Rung> rungs_for(std::vector<std::string> const&, bool, ExactSum<double> const&);
template void require_runnable(std::vector<std::string> const&, bool, ExactSum<float> const&);
template void require_runnable(std::vector<std::string> const&, bool, ExactSum<double> const&);

}  // namespace findrho
