# SPDX-License-Identifier: BSD-3-Clause
# The ISMRMRD library, as independent reader of the files that we write; those tests skip where it is absent.
find_path(ISMRMRD_INCLUDE_DIR ismrmrd/dataset.h)
find_library(ISMRMRD_LIBRARY ismrmrd)
if(ISMRMRD_INCLUDE_DIR AND ISMRMRD_LIBRARY)
  target_include_directories(test_io SYSTEM PRIVATE ${ISMRMRD_INCLUDE_DIR})
  target_link_libraries(test_io PRIVATE ${ISMRMRD_LIBRARY})
  target_compile_definitions(test_io PRIVATE FINDRHO_HAVE_ISMRMRD=1)
endif()
