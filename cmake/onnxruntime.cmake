# ONNX Runtime's C headers, for the engine in src/onnx. The library itself is found at run time.
#
# Taken from GGML_DIRECTX_ONNXRUNTIME_HEADERS, else from what scripts/setup fetched, else from the system. 1.22 is the first
# with GetEpDevices and the Model Editor API.

set(GGML_DIRECTX_ONNXRUNTIME_HEADERS "" CACHE PATH "folder of onnxruntime_c_api.h; default: what scripts/setup fetched, else the system's")

set(GGML_DIRECTX_ONNXRUNTIME_INCLUDE)
foreach(folder "${GGML_DIRECTX_ONNXRUNTIME_HEADERS}" "${CMAKE_SOURCE_DIR}/third_party/onnxruntime/include" /usr/include/onnxruntime)
    if(folder AND EXISTS "${folder}/onnxruntime_c_api.h")
        file(STRINGS "${folder}/onnxruntime_c_api.h" version REGEX "^#define ORT_API_VERSION [0-9]+")
        string(REGEX REPLACE "[^0-9]" "" version "${version}")
        if(version GREATER_EQUAL 22)
            set(GGML_DIRECTX_ONNXRUNTIME_INCLUDE "${folder}")
            message(STATUS "ONNX Runtime engine: headers 1.${version} in ${folder}")
            break()
        endif()
        message(STATUS "${folder} has the headers of ONNX Runtime 1.${version}; 1.22 or newer is needed")
    endif()
endforeach()
if(NOT GGML_DIRECTX_ONNXRUNTIME_INCLUDE)
    message(STATUS "no ONNX Runtime engine: its headers are missing (-DGGML_DIRECTX_ONNXRUNTIME_HEADERS=DIR)")
endif()
