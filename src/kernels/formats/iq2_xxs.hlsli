// 256 elements: half d, then for 32 elements each 4 bytes of pattern indices and a word of 4 x 7 signs and a 4-bit scale;
// x = d * (scale + 1/2) / 4 * pattern.
#include "grids.hlsli"

static const uint iq2_xxs_block = 256;
static const uint iq2_xxs_bytes = 66;

static const uint4 iq2xxs_grid[32] = {
    uint4(0x00020000u, 0x00080005u, 0x0011000au, 0x00200014u), uint4(0x00280022u, 0x0041002au, 0x00500044u, 0x00610058u),
    uint4(0x00800064u, 0x008a0082u, 0x010100a2u, 0x01100104u), uint4(0x01400115u, 0x01980184u, 0x02020200u, 0x02820222u),
    uint4(0x04040401u, 0x04210410u, 0x04400424u, 0x04480442u), uint4(0x04810460u, 0x04900484u, 0x050004a4u, 0x05080502u),
    uint4(0x05460520u, 0x05800569u, 0x06090591u, 0x06400610u), uint4(0x06a40684u, 0x08050800u, 0x08140808u, 0x08410828u),
    uint4(0x08500844u, 0x08880852u, 0x09400904u, 0x0a140a02u), uint4(0x10041001u, 0x10211010u, 0x10601040u, 0x10901084u),
    uint4(0x11001095u, 0x11201108u, 0x115a1150u, 0x12241180u), uint4(0x14001245u, 0x14201408u, 0x14491425u, 0x15181480u),
    uint4(0x16001562u, 0x18011616u, 0x18101804u, 0x18811840u), uint4(0x19051900u, 0x1a5119a0u, 0x20022000u, 0x2044200au),
    uint4(0x20802061u, 0x21292082u, 0x22002148u, 0x24012202u), uint4(0x24102404u, 0x24562440u, 0x25412500u, 0x26902564u),
    uint4(0x28202808u, 0x2a442894u, 0x40044001u, 0x40184010u), uint4(0x40244021u, 0x40484040u, 0x40604056u, 0x40844081u),
    uint4(0x41004090u, 0x41614120u, 0x41854180u, 0x42104201u), uint4(0x42564248u, 0x44004268u, 0x44204408u, 0x44994480u),
    uint4(0x45244512u, 0x48014600u, 0x48104804u, 0x48454840u), uint4(0x49584900u, 0x49824961u, 0x4a904a45u, 0x50085000u),
    uint4(0x50195011u, 0x50805020u, 0x51045088u, 0x51a45142u), uint4(0x54905291u, 0x550a5492u, 0x56545601u, 0x58115800u),
    uint4(0x58645819u, 0x5a085940u, 0x60106004u, 0x60686040u), uint4(0x61556100u, 0x62606218u, 0x64056400u, 0x65126510u),
    uint4(0x68426584u, 0x80028000u, 0x8041800au, 0x81048082u), uint4(0x81408118u, 0x84018211u, 0x84108404u, 0x84408415u),
    uint4(0x85008460u, 0x85948546u, 0x86408609u, 0x88028660u), uint4(0x8a118904u, 0x90109004u, 0x90409024u, 0x911690a1u),
    uint4(0x92459180u, 0x94229400u, 0x95519444u, 0x99209881u), uint4(0xa050a002u, 0xa109a085u, 0xa418a200u, 0xa904a850u)
};

void row_load8_iq2_xxs(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint  block = row + (k / 256) * 66;
    const uint  j     = k & 255u;
    const uint2 w     = load8_before(b, block + 2 + (j / 32) * 8);
    const uint  part  = (j / 8) & 3u;
    const uint  i     = (w.x >> (8 * part)) & 0xffu;
    const uint  signs = unfold_signs((w.y >> (7 * part)) & 127u);
    const float d     = f16_to_f32(load_u16(b, block)) * (0.5f + float(w.y >> 28)) * 0.25f;
    iq2_pattern(grid_entry(iq2xxs_grid[i / 8], i), lo, hi);
    lo = d * with_signs(lo, signs);
    hi = d * with_signs(hi, signs >> 4);
}

float row_load_iq2_xxs(RWByteAddressBuffer b, uint row, uint k) {
    float4 lo;
    float4 hi;
    row_load8_iq2_xxs(b, row, k & ~7u, lo, hi);
    return ((k & 4u) ? hi : lo)[k & 3u];
}
