# Stock whisper-cli of the pinned nodejs-whisper, unchanged, against the same ggml as the plug-in: the speech tests' judge.
# The package brings an older ggml of its own, of which nothing is used.

set(GGML_DIRECTX_WHISPER_CPP "${GGML_DIRECTX_NODE_MODULES}/nodejs-whisper/cpp/whisper.cpp" CACHE PATH "whisper.cpp source tree for the speech tests")
set(whisper_tree "${GGML_DIRECTX_WHISPER_CPP}")
if(NOT EXISTS "${whisper_tree}/src/whisper.cpp")
    message(STATUS "no whisper.cpp in ${whisper_tree}: whisper-cli, and the tests that use it, are left out")
    return()
endif()

file(STRINGS "${whisper_tree}/CMakeLists.txt" whisper_version REGEX "project\\(\"whisper.cpp\"")
string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" whisper_version "${whisper_version}")

set(whisper_includes "${whisper_tree}/include" "${whisper_tree}/src" "${whisper_tree}/examples" ${GGML_DIRECTX_GGML_INCLUDES})

# What whisper.cpp's examples share, WAV reading among it.
add_library(whisper-common STATIC "${whisper_tree}/examples/common.cpp" "${whisper_tree}/examples/common-whisper.cpp"
    "${whisper_tree}/examples/grammar-parser.cpp")
add_executable(whisper-cli "${whisper_tree}/examples/cli/cli.cpp" "${whisper_tree}/src/whisper.cpp")
set(whisper_targets whisper-common whisper-cli)
if(GGML_DIRECTX_TESTS)
    # a test that has whisper.cpp's source in it
    add_executable(speech-compare "${CMAKE_SOURCE_DIR}/tests/e2e/speech_compare.cpp")
    list(APPEND whisper_targets speech-compare)
endif()
foreach(target ${whisper_targets})
    target_include_directories(${target} SYSTEM PRIVATE ${whisper_includes})
    target_compile_definitions(${target} PRIVATE WHISPER_VERSION="${whisper_version}" $<$<BOOL:${MINGW}>:_WIN32_WINNT=0x0A00>)
    # quick to build: the work is done in libraries
    target_compile_options(${target} PRIVATE -w -O1)
    if(NOT target STREQUAL whisper-common)
        target_link_libraries(${target} PRIVATE whisper-common ggml ggml-base Threads::Threads ${CMAKE_DL_LIBS})
        if(MINGW)
            target_link_options(${target} PRIVATE -static)
        endif()
    endif()
endforeach()
