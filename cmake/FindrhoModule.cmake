# SPDX-License-Identifier: BSD-3-Clause
# One target per folder: findrho_<name>, built from src/<name>/, its public headers in include/findrho/<name>/.

add_library(findrho_flags INTERFACE)
target_compile_features(findrho_flags INTERFACE cxx_std_20)
target_include_directories(findrho_flags INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_compile_options(findrho_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wno-missing-field-initializers -fno-math-errno>)
if(FINDRHO_SANITIZE)
  target_compile_options(findrho_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${FINDRHO_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all>)
  target_link_options(findrho_flags INTERFACE -fsanitize=${FINDRHO_SANITIZE})
endif()

# findrho_module(nufft SOURCES plan.cpp NEEDS backend PRIVATE hwy)
#   SOURCES  files of the folder;  NEEDS  findrho folders below it;  PRIVATE  libraries that its headers do not show
function(findrho_module name)
  cmake_parse_arguments(M "" "" "SOURCES;NEEDS;PRIVATE" ${ARGN})
  add_library(findrho_${name} STATIC ${M_SOURCES})
  set_target_properties(findrho_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF)
  target_link_libraries(findrho_${name} PUBLIC findrho_flags PRIVATE ${M_PRIVATE})
  foreach(needed IN LISTS M_NEEDS)
    target_link_libraries(findrho_${name} PUBLIC findrho_${needed})
  endforeach()
endfunction()

# findrho_cuda_sources(access.cu): CUDA files of a folder, built into the module that the program loads.
function(findrho_cuda_sources)
  if(FINDRHO_CUDA_FOUND)
    foreach(file IN LISTS ARGN)
      target_sources(findrho_cuda PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    endforeach()
  endif()
endfunction()

# findrho_test(nufft SOURCES spread.cpp NEEDS nufft PRIVATE hwy): one GoogleTest program per folder, each test a ctest.
# With GPU, the suites named Gpu... are labelled gpu: ctest -L gpu.
function(findrho_test name)
  cmake_parse_arguments(T "GPU" "" "SOURCES;NEEDS;PRIVATE" ${ARGN})
  add_executable(test_${name} ${T_SOURCES})
  set_target_properties(test_${name} PROPERTIES CXX_EXTENSIONS OFF)
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(test_${name} PRIVATE FINDRHO_DATA_DIR="${FINDRHO_DATA_DIR}")
  target_link_libraries(test_${name} PRIVATE GTest::gtest_main ${T_PRIVATE})
  foreach(needed IN LISTS T_NEEDS)
    target_link_libraries(test_${name} PRIVATE findrho_${needed})
  endforeach()
  set(cpu_tests "*")
  if(T_GPU)
    set(cpu_tests "-Gpu*")
    # Beside the CUDA module, where the program lies too.
    set_target_properties(test_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
    gtest_discover_tests(test_${name} TEST_PREFIX ${name}. TEST_FILTER "Gpu*" TEST_LIST test_${name}_gpu
                         DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600 LABELS gpu)
  endif()
  gtest_discover_tests(test_${name} TEST_PREFIX ${name}. TEST_FILTER "${cpu_tests}" DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT 600)
endfunction()
