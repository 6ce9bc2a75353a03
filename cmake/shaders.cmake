# Compiles src/kernels into the kernel archive and embeds it.
#
# The compiler driver is a Windows program, since Microsoft's HLSL compilers are Windows libraries: native on Windows,
# cross-built with mingw-w64 and run under wine elsewhere. With GGML_DIRECTX_SHADER_ARCHIVE nothing is compiled.

set(GGML_DIRECTX_NODE_MODULES "${CMAKE_SOURCE_DIR}/third_party/node_modules" CACHE PATH "node_modules with the package webgpu")
set(GGML_DIRECTX_FXC "${GGML_DIRECTX_NODE_MODULES}/webgpu/dist/win32-x64/d3dcompiler_47.dll" CACHE FILEPATH "compiler of tier sm51")
set(GGML_DIRECTX_DXC "${GGML_DIRECTX_NODE_MODULES}/webgpu/dist/win32-x64/dxcompiler.dll" CACHE FILEPATH "compiler of tiers sm60 and sm66")

file(GLOB driver_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tools/hlsl/*.cpp")
file(GLOB driver_headers CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tools/hlsl/*.h")
list(APPEND driver_headers "${CMAKE_SOURCE_DIR}/src/kernels/archive_format.h")
set(portable_driver_parts archive.cpp cache.cpp catalogue.cpp files.cpp sha256.cpp source.cpp) # for the unit tests

# Header-only libraries, taken alone: a cross-build must not see the host's other headers.
set(header_only "${CMAKE_BINARY_DIR}/header-only")
find_path(NLOHMANN_JSON nlohmann/json.hpp PATHS /usr/include NO_CMAKE_FIND_ROOT_PATH REQUIRED)
find_path(CLI11 CLI/CLI.hpp PATHS /usr/include NO_CMAKE_FIND_ROOT_PATH REQUIRED)
if(CMAKE_HOST_WIN32)
    set(header_only "${NLOHMANN_JSON}" "${CLI11}") # links need privileges there, and nothing is crossed
else()
    file(MAKE_DIRECTORY "${header_only}")
    file(CREATE_LINK "${NLOHMANN_JSON}/nlohmann" "${header_only}/nlohmann" SYMBOLIC)
    file(CREATE_LINK "${CLI11}/CLI" "${header_only}/CLI" SYMBOLIC)
endif()

# Defines the variables run_driver (a command) and driver_target (what it depends on).
if(CMAKE_HOST_WIN32)
    find_package(ZLIB REQUIRED)
    add_executable(hlsl ${driver_sources})
    target_include_directories(hlsl PRIVATE src)
    target_include_directories(hlsl SYSTEM PRIVATE ${header_only})
    target_link_libraries(hlsl PRIVATE ZLIB::ZLIB)
    set(run_driver hlsl)
    set(driver_target hlsl)
elseif(NOT GGML_DIRECTX_SHADER_ARCHIVE)
    find_program(MINGW_CXX NAMES x86_64-w64-mingw32-g++-posix x86_64-w64-mingw32-g++ REQUIRED)
    set(driver_target "${CMAKE_BINARY_DIR}/hlsl/hlsl.exe")
    file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/hlsl")
    set(driver_objects)
    foreach(source ${driver_sources})
        get_filename_component(name "${source}" NAME_WE)
        set(object "${CMAKE_BINARY_DIR}/hlsl/${name}.obj")
        add_custom_command(
            OUTPUT "${object}"
            COMMAND "${MINGW_CXX}" -std=c++20 -O2 -Wall -Wextra -Wshadow -Wpedantic -Werror -isystem "${header_only}"
                -I "${CMAKE_SOURCE_DIR}/src" -MMD -MT "${object}" -MF "${object}.d" -c "${source}" -o "${object}"
            DEPENDS "${source}" ${driver_headers}
            DEPFILE "${object}.d"
            COMMENT "Building the shader compiler driver: ${name}"
            VERBATIM)
        list(APPEND driver_objects "${object}")
    endforeach()
    add_custom_command(
        OUTPUT "${driver_target}"
        COMMAND "${MINGW_CXX}" -static ${driver_objects} -lz -o "${driver_target}"
        DEPENDS ${driver_objects}
        COMMENT "Linking the shader compiler driver"
        VERBATIM)
    set(run_driver "${CMAKE_SOURCE_DIR}/tools/hlsl/run-windows-program" "${driver_target}")
endif()

if(GGML_DIRECTX_SHADER_ARCHIVE)
    set(kernel_archive "${GGML_DIRECTX_SHADER_ARCHIVE}")
else()
    set(kernel_archive "${CMAKE_BINARY_DIR}/kernels.bin")
    foreach(compiler GGML_DIRECTX_FXC GGML_DIRECTX_DXC)
        if(NOT EXISTS "${${compiler}}")
            message(FATAL_ERROR "${compiler}: there is no ${${compiler}}. scripts/setup fetches the shader compilers.")
        endif()
    endforeach()
    add_custom_command(
        OUTPUT "${kernel_archive}"
        COMMAND ${run_driver}
            --catalogue "${CMAKE_SOURCE_DIR}/src/kernels/catalogue.json" --base "${CMAKE_SOURCE_DIR}/src"
            --fxc "${GGML_DIRECTX_FXC}" --dxc "${GGML_DIRECTX_DXC}"
            --output "${kernel_archive}" --depfile "${kernel_archive}.d"
        WORKING_DIRECTORY "${CMAKE_BINARY_DIR}"
        DEPENDS ${driver_target} "${CMAKE_SOURCE_DIR}/src/kernels/catalogue.json" "${GGML_DIRECTX_FXC}" "${GGML_DIRECTX_DXC}"
        DEPFILE "${kernel_archive}.d"
        COMMENT "Compiling shaders"
        USES_TERMINAL
        VERBATIM)
endif()

# Adds the archive to a target, between the symbols ggml_directx_kernels_begin and ggml_directx_kernels_end.
function(ggml_directx_embed_kernels target)
    set(object "${CMAKE_BINARY_DIR}/embedded_kernels${CMAKE_CXX_OUTPUT_EXTENSION}")
    if(MSVC)
        # Microsoft's assembler cannot take in a file: the driver writes the object itself.
        string(TOLOWER "${CMAKE_CXX_COMPILER_ARCHITECTURE_ID}" machine)
        add_custom_command(
            OUTPUT "${object}"
            COMMAND ${run_driver} --reuse "${kernel_archive}" --object "${object}" --machine "${machine}"
            DEPENDS ${driver_target} "${kernel_archive}"
            COMMENT "Embedding shaders"
            VERBATIM)
    else()
        set(assembly "${CMAKE_BINARY_DIR}/embedded_kernels.S")
        if(WIN32)
            set(section ".section .rdata,\"dr\"")
            set(trailer "")
        else()
            # Without the note the linker would make the stack executable.
            set(section ".section .rodata\n    .hidden ggml_directx_kernels_begin\n    .hidden ggml_directx_kernels_end")
            set(trailer ".section .note.GNU-stack,\"\",%progbits")
        endif()
        file(CONFIGURE OUTPUT "${assembly}" CONTENT [[
    @section@
    .balign 16
    .globl ggml_directx_kernels_begin
    .globl ggml_directx_kernels_end
ggml_directx_kernels_begin:
    .incbin "@kernel_archive@"
ggml_directx_kernels_end:
    .byte 0
    @trailer@
]] @ONLY)
        add_custom_command(
            OUTPUT "${object}"
            COMMAND "${CMAKE_CXX_COMPILER}" -c "${assembly}" -o "${object}"
            DEPENDS "${assembly}" "${kernel_archive}"
            COMMENT "Embedding shaders"
            VERBATIM)
    endif()
    target_sources(${target} PRIVATE "${object}")
    target_link_libraries(${target} INTERFACE "${object}") # an object library does not hand on objects that it did not compile
    set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
endfunction()
