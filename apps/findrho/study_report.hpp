// SPDX-License-Identifier: BSD-3-Clause
// The rows of a study as a table, as CSV, as JSON and as a picture.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "findrho/recipe/study.hpp"

namespace findrho {

std::string study_table(std::vector<StudyRow> const& rows);
std::string study_csv(std::vector<StudyRow> const& rows);
/// Rows with units in their names, and what all of them share.
std::string study_json(std::vector<StudyRow> const& rows, StudyOptions const& options);
/// The images (3D: the middle slices) with their figures below, all in the window of the first.
void write_study_picture(std::string const& path, std::vector<StudyRow> const& rows, std::int64_t columns);

}  // namespace findrho
