# The stock programs of the pinned llama.cpp, unchanged, against its prebuilt libraries: the judges of the tests.

set(tree "${GGML_DIRECTX_LLAMA_CPP}")
set(llama_includes "${tree}/include" "${tree}/common" "${tree}/vendor" "${tree}/ggml/include" "${tree}/ggml/src")

function(llama_program name)
    cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES" ${ARGN})
    list(TRANSFORM arg_SOURCES PREPEND "${tree}/")
    add_executable(${name} ${arg_SOURCES})
    target_include_directories(${name} SYSTEM PRIVATE ${llama_includes})
    # quick to build: the work is done in libraries
    target_compile_options(${name} PRIVATE -w -O1)
    target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} Threads::Threads ${CMAKE_DL_LIBS})
    if(MINGW)
        target_link_options(${name} PRIVATE -static)
    endif()
endfunction()

llama_program(test-backend-ops SOURCES tests/test-backend-ops.cpp LIBRARIES ggml ggml-base)
llama_program(llama-simple SOURCES examples/simple/simple.cpp LIBRARIES llama ggml ggml-base)
if(WIN32)
    return()
endif()

foreach(tool completion perplexity quantize llama-bench)
    string(REPLACE "llama-" "" short ${tool})
    llama_program(llama-${short} SOURCES tools/${tool}/${tool}.cpp tools/${tool}/main.cpp LIBRARIES llama-common llama ggml ggml-base)
    target_include_directories(llama-${short} SYSTEM PRIVATE "${tree}/tools/${tool}")
endforeach()

llama_program(test-opt SOURCES tests/test-opt.cpp LIBRARIES ggml ggml-base)
llama_program(llama-finetune SOURCES examples/training/finetune.cpp LIBRARIES llama-common llama ggml ggml-base)

# Every architecture with random weights, against the CPU. The prebuilt library's model loader is patched to take no more
# tensors than a file names, but this program has no file: the loader as llama.cpp has it stands before the library's.
llama_program(test-llama-archs SOURCES tests/test-llama-archs.cpp src/llama-model-loader.cpp LIBRARIES llama-common llama ggml ggml-base)
target_sources(test-llama-archs PRIVATE "${CMAKE_SOURCE_DIR}/tests/e2e/archs_host.cpp")
set_target_properties(test-llama-archs PROPERTIES ENABLE_EXPORTS ON CXX_VISIBILITY_PRESET default)

# llama-server without its web page, but with the multimodal library that it is built on.
add_executable(llama-ui-embed "${tree}/tools/ui/embed.cpp")
target_compile_options(llama-ui-embed PRIVATE -w)
set(ui "${CMAKE_BINARY_DIR}/llama-ui")
file(MAKE_DIRECTORY "${ui}")
add_custom_command(OUTPUT "${ui}/ui.cpp" "${ui}/ui.h" COMMAND llama-ui-embed "${ui}/ui.cpp" "${ui}/ui.h" DEPENDS llama-ui-embed)

file(GLOB mtmd_sources "${tree}/tools/mtmd/mtmd*.cpp" "${tree}/tools/mtmd/clip.cpp" "${tree}/tools/mtmd/models/*.cpp" "${tree}/vendor/hash/*.cpp"
    "${tree}/vendor/hash/*/*.c")
list(FILTER mtmd_sources EXCLUDE REGEX "mtmd-cli.cpp$")
file(GLOB server_sources "${tree}/tools/server/*.cpp")
add_executable(llama-server ${server_sources} ${mtmd_sources} "${tree}/vendor/cpp-httplib/httplib.cpp" "${ui}/ui.cpp")
set_source_files_properties("${tree}/vendor/hash/sha1/sha1.c" PROPERTIES LANGUAGE CXX)
target_include_directories(llama-server SYSTEM PRIVATE ${llama_includes} "${tree}/vendor/hash" "${tree}" "${tree}/tools/server" "${tree}/tools/mtmd" "${ui}")
target_compile_options(llama-server PRIVATE -w -O1)
target_compile_definitions(llama-server PRIVATE CPPHTTPLIB_LISTEN_BACKLOG=512 CPPHTTPLIB_TCP_NODELAY=1)
target_link_libraries(llama-server PRIVATE llama-common llama ggml ggml-base Threads::Threads ${CMAKE_DL_LIBS})
