// 256 elements: half d, 64 bytes of pattern indices for 4 elements each, then for 32 elements each a word of 4 x 7 signs
// and a 4-bit scale; x = d * (scale + 1/2) / 2 * pattern.
#include "grids.hlsli"

static const uint iq3_xxs_block = 256;
static const uint iq3_xxs_bytes = 98;

// Codes 0 .. 7 stand for 4, 12, 20 ... 52, and 62.
static const uint4 iq3xxs_grid[32] = {
    uint4(0x00020000u, 0x00110004u, 0x00170013u, 0x00220020u), uint4(0x00420031u, 0x00750073u, 0x01030101u, 0x01120110u),
    uint4(0x01250121u, 0x01320130u, 0x01540141u, 0x02000170u), uint4(0x02040202u, 0x02200211u, 0x02310222u, 0x02370233u),
    uint4(0x02570251u, 0x03010275u, 0x03100307u, 0x03250312u), uint4(0x04130370u, 0x04440437u, 0x04730457u, 0x05010475u),
    uint4(0x05320507u, 0x06350552u, 0x07100664u, 0x07160714u), uint4(0x07610743u, 0x10031001u, 0x10121010u, 0x10231021u),
    uint4(0x10321030u, 0x10471034u, 0x11001050u, 0x11111102u), uint4(0x11221120u, 0x12031201u, 0x12121210u, 0x12301221u),
    uint4(0x13001272u, 0x13201302u, 0x13461331u, 0x14011366u), uint4(0x14501405u, 0x15241520u, 0x15711546u, 0x17221605u),
    uint4(0x20001740u, 0x20112002u, 0x20202013u, 0x20262022u), uint4(0x20422031u, 0x21032101u, 0x21102105u, 0x21212112u),
    uint4(0x21632130u, 0x21702167u, 0x22022200u, 0x22172211u), uint4(0x22222220u, 0x22402237u, 0x23012255u, 0x23142310u),
    uint4(0x23742370u, 0x24532435u, 0x25272503u, 0x25742541u), uint4(0x27032701u, 0x27452716u, 0x30103001u, 0x30213012u),
    uint4(0x30503023u, 0x30723065u, 0x31023100u, 0x31313120u), uint4(0x31463144u, 0x32033201u, 0x32253210u, 0x32723252u),
    uint4(0x33333311u, 0x34473430u, 0x35003472u, 0x35223506u), uint4(0x36143555u, 0x36633636u, 0x37603733u, 0x40174004u),
    uint4(0x40374035u, 0x40574053u, 0x42204174u, 0x42404237u), uint4(0x42664260u, 0x43454307u, 0x44514404u, 0x45254464u),
    uint4(0x45704543u, 0x47104705u, 0x47304712u, 0x50415012u), uint4(0x51005070u, 0x51265106u, 0x52145155u, 0x52725232u),
    uint4(0x53535302u, 0x54235410u, 0x54725427u, 0x55315502u), uint4(0x57245650u, 0x60245742u, 0x60466044u, 0x61216064u),
    uint4(0x62176161u, 0x63306264u, 0x64446336u, 0x65526505u), uint4(0x67036633u, 0x70036721u, 0x70077005u, 0x70327010u),
    uint4(0x71267052u, 0x72127140u, 0x72527245u, 0x73157300u), uint4(0x73607333u, 0x74417421u, 0x75027500u, 0x76307524u)
};

float4 iq3_xxs_pattern(uint i) {
    const uint c = spread_nibbles(grid_entry(iq3xxs_grid[i / 8], i));
    return bytes_to_float4(c * 8u + 0x04040404u + (((c + 0x01010101u) >> 2) & 0x02020202u));
}

void row_load8_iq3_xxs(RWByteAddressBuffer b, uint row, uint k, out float4 lo, out float4 hi) {
    const uint  block = row + (k / 256) * 98;
    const uint  j     = k & 255u;
    const uint  w     = load_u32(b, block + 66 + (j / 32) * 4);
    const uint  pair  = load_u16(b, block + 2 + j / 4);
    const uint  signs = unfold_signs((w >> (7 * ((j / 8) & 3u))) & 127u);
    const float d     = f16_to_f32(load_u16(b, block)) * (0.5f + float(w >> 28)) * 0.5f;
    lo = d * with_signs(iq3_xxs_pattern(pair & 0xffu), signs);
    hi = d * with_signs(iq3_xxs_pattern(pair >> 8), signs >> 4);
}

float row_load_iq3_xxs(RWByteAddressBuffer b, uint row, uint k) {
    float4 lo;
    float4 hi;
    row_load8_iq3_xxs(b, row, k & ~7u, lo, hi);
    return ((k & 4u) ? hi : lo)[k & 3u];
}
