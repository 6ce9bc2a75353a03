# Compiles src/kernels into the kernel archive and embeds it.
#
# The compiler driver is a Windows program, since Microsoft's HLSL compilers are Windows libraries: native on Windows,
# cross-built with mingw-w64 and run under wine elsewhere.

set(kernel_archive "${CMAKE_BINARY_DIR}/kernels.bin")
set(shader_compilers "${CMAKE_SOURCE_DIR}/third_party/node_modules" CACHE PATH "node_modules with webgpu and onnxruntime-node")
set(driver "${CMAKE_BINARY_DIR}/hlsl/hlsl.exe")

if(GGML_DIRECTX_SHADER_ARCHIVE)
    set(kernel_archive "${GGML_DIRECTX_SHADER_ARCHIVE}")
else()
    file(GLOB driver_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tools/hlsl/*.cpp" "${CMAKE_SOURCE_DIR}/tools/hlsl/*.h")
    set(driver_main ${driver_sources})
    list(FILTER driver_main INCLUDE REGEX "\\.cpp$")
    find_path(NLOHMANN_JSON nlohmann/json.hpp PATHS /usr/include NO_CMAKE_FIND_ROOT_PATH REQUIRED)
    find_path(CLI11 CLI/CLI.hpp PATHS /usr/include NO_CMAKE_FIND_ROOT_PATH REQUIRED)
    # header-only libraries, taken alone: a cross-build must not see the host's other headers
    set(header_only "${CMAKE_BINARY_DIR}/header-only")
    file(MAKE_DIRECTORY "${header_only}" "${CMAKE_BINARY_DIR}/hlsl")
    file(CREATE_LINK "${NLOHMANN_JSON}/nlohmann" "${header_only}/nlohmann" SYMBOLIC)
    file(CREATE_LINK "${CLI11}/CLI" "${header_only}/CLI" SYMBOLIC)

    if(CMAKE_HOST_WIN32)
        add_executable(hlsl ${driver_main})
        target_include_directories(hlsl PRIVATE src)
        target_include_directories(hlsl SYSTEM PRIVATE "${header_only}")
        target_link_libraries(hlsl PRIVATE ZLIB::ZLIB)
        set(run_driver hlsl)
        set(driver_target hlsl)
    else()
        find_program(MINGW_CXX NAMES x86_64-w64-mingw32-g++-posix REQUIRED)
        add_custom_command(
            OUTPUT "${driver}"
            COMMAND "${MINGW_CXX}" -std=c++20 -O1 -static -isystem "${header_only}" -I "${CMAKE_SOURCE_DIR}/src" ${driver_main} -o "${driver}" -lz
            DEPENDS ${driver_sources} "${CMAKE_SOURCE_DIR}/src/kernels/archive_format.h"
            COMMENT "Building the shader compiler driver"
            VERBATIM)
        set(run_driver "${CMAKE_SOURCE_DIR}/tools/hlsl/run-windows-program" "${driver}")
        set(driver_target "${driver}")
    endif()

    add_custom_command(
        OUTPUT "${kernel_archive}"
        COMMAND ${run_driver}
            --catalogue src/kernels/catalogue.json --base src
            --fxc "${shader_compilers}/webgpu/dist/win32-x64/d3dcompiler_47.dll"
            --dxc "${shader_compilers}/webgpu/dist/win32-x64/dxcompiler.dll"
            --output "${kernel_archive}" --depfile "${kernel_archive}.d" --depfile-target "${kernel_archive}"
        WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
        DEPENDS ${driver_target} "${CMAKE_SOURCE_DIR}/src/kernels/catalogue.json"
        DEPFILE "${kernel_archive}.d"
        COMMENT "Compiling shaders"
        USES_TERMINAL
        VERBATIM)
endif()

# Adds the archive to a target, between ggml_directx_kernels_begin and ggml_directx_kernels_end.
function(ggml_directx_embed_kernels target)
    set(object "${CMAKE_BINARY_DIR}/embedded_kernels${CMAKE_CXX_OUTPUT_EXTENSION}")
    if(MSVC)
        message(FATAL_ERROR "embedding the kernel archive with MSVC is not done yet")
    endif()
    set(assembly "${CMAKE_BINARY_DIR}/embedded_kernels.S")
    file(CONFIGURE OUTPUT "${assembly}" CONTENT [[
    .section .rodata
    .balign 16
    .globl ggml_directx_kernels_begin
    .globl ggml_directx_kernels_end
ggml_directx_kernels_begin:
    .incbin "@kernel_archive@"
ggml_directx_kernels_end:
    .byte 0
]] @ONLY)
    add_custom_command(
        OUTPUT "${object}"
        COMMAND "${CMAKE_CXX_COMPILER}" -c "${assembly}" -o "${object}"
        DEPENDS "${assembly}" "${kernel_archive}"
        COMMENT "Embedding shaders"
        VERBATIM)
    target_sources(${target} PRIVATE "${object}")
    set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
endfunction()
