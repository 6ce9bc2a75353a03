// Rows of any type, by type token. For each token T:
//   T_block, T_bytes    elements and bytes of a block (1 element for plain types)
//   float row_load_T (RWByteAddressBuffer b, uint row, uint k)                                element k of the row at byte address `row`
//   void  row_load8_T(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi)  elements k .. k+7, k a multiple of 8
// row_load8 reads nothing beyond element k+7 but the rest of its block: the caller keeps k+8 <= ne0 (quantised rows are
// whole blocks). `row` is a multiple of what ggml aligns the type to: 4 for f32, 2 for f16 and bf16, a block for the rest.
// Kernels that define ENCODE also get, for quantised types that ggml can write a row of:
//   void  encode_T(RWByteAddressBuffer b, uint at, float4 v[8])       q4_0 q4_1 q5_0 q5_1 q8_0: a block of 32, to byte address `at`
//   void  encode_T(RWByteAddressBuffer b, uint at, block_source s)    the others: elements through the kernel's source_element
// Blocks of different threads may share words. f32, f16 and bf16 are written by common.hlsli's store_T.
// With T an axis, CONCAT(row_load8_, T)(...) picks one. A kernel that includes this pays only for what it calls.
#ifndef GGML_DIRECTX_FORMATS_HLSLI
#define GGML_DIRECTX_FORMATS_HLSLI

#include "words.hlsli"

#ifdef ENCODE
#include "encode.hlsli"
#endif

#include "f32.hlsli"
#include "f16.hlsli"
#include "bf16.hlsli"

#include "q4_0.hlsli"
#include "q4_1.hlsli"
#include "q5_0.hlsli"
#include "q5_1.hlsli"
#include "q8_0.hlsli"

#include "q2_K.hlsli"
#include "q3_K.hlsli"
#include "q4_K.hlsli"
#include "q5_K.hlsli"
#include "q6_K.hlsli"

#include "q1_0.hlsli"
#include "q2_0.hlsli"
#include "q8_1.hlsli"
#include "tq1_0.hlsli"
#include "tq2_0.hlsli"
#include "mxfp4.hlsli"
#include "nvfp4.hlsli"

#include "iq1_s.hlsli"
#include "iq1_m.hlsli"
#include "iq2_xxs.hlsli"
#include "iq2_xs.hlsli"
#include "iq2_s.hlsli"
#include "iq3_xxs.hlsli"
#include "iq3_s.hlsli"
#include "iq4_nl.hlsli"
#include "iq4_xs.hlsli"

#endif
