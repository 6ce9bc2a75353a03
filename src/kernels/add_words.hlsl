// The simplest kernel: what the device tests check streams, barriers and addressing with.
RWByteAddressBuffer src : register(u0);
RWByteAddressBuffer dst : register(u1);

cbuffer args_buffer : register(b0) {
    uint n;
    uint addend;
    uint src_offset;
    uint dst_offset;
};

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
    if (id.x < n) {
        dst.Store(dst_offset + id.x * 4, src.Load(src_offset + id.x * 4) + addend);
    }
}
