// The loss -sum(labels * log(soft_max(logits))), averaged over the rows, and its gradient. A group has a row.
//   RESULT  loss: dst[row] = sum(labels * log(soft_max(logits))), which another kernel averages
//           gradient: dst = (soft_max(logits) - labels) * factor / rows

#define GROUP_SIZE 256

#include "cross_entropy_args.h"
#include "group_reduce.hlsli"
#include "math.hlsli"

RWByteAddressBuffer logits : register(u0);
RWByteAddressBuffer labels : register(u1);
RWByteAddressBuffer dst    : register(u2);
RWByteAddressBuffer factor : register(u3);

cbuffer args_buffer : register(b0) {
    cross_entropy_args a;
};

struct row_state {
    uint  row;
    uint  count;
    uint4 first;
    uint  x;
    uint  label;
    float top;
    float sum; // of exp(x - top)
};

void finish_loss(row_state r, uint thread) {
    const float log_sum = log(r.sum);

    float loss = 0.0f;
    [loop] for (uint k = thread; k < r.count; k += GROUP_SIZE) {
        loss += (load_f32(logits, r.x + k * a.logits.nb.x) - r.top - log_sum) * load_f32(labels, r.label + k * a.labels.nb.x);
    }
    loss = group_sum(loss, thread);
    if (thread == 0 && r.count > 0) {
        store_f32(dst, a.dst.offset + r.row * 4, loss);
    }
}

void finish_gradient(row_state r, uint thread) {
    const uint  to    = address(a.dst, r.first);
    const float scale = load_f32(factor, a.factor) / float(a.rows);
    [loop] for (uint k = thread; k < r.count; k += GROUP_SIZE) {
        const float y = exp_below(load_f32(logits, r.x + k * a.logits.nb.x), r.top) / r.sum;
        store_f32(dst, to + k * a.dst.nb.x, (y - load_f32(labels, r.label + k * a.labels.nb.x)) * scale);
    }
}

[numthreads(GROUP_SIZE, 1, 1)]
void main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex) {
    row_state r;
    r.row   = linear_group(group);
    r.count = r.row < a.rows ? a.logits.ne.x : 0; // groups that run over must reach the barriers too
    r.first = coordinates(r.row, uint4(1, a.logits.ne.yzw));
    r.x     = address(a.logits, r.first);
    r.label = address(a.labels, r.first);

    float top = -positive_infinity;
    uint  k;
    [loop] for (k = thread; k < r.count; k += GROUP_SIZE) {
        top = max(top, load_f32(logits, r.x + k * a.logits.nb.x));
    }
    r.top = group_max(top, thread);

    float sum = 0.0f;
    [loop] for (k = thread; k < r.count; k += GROUP_SIZE) {
        sum += exp_below(load_f32(logits, r.x + k * a.logits.nb.x), r.top);
    }
    r.sum = group_sum(sum, thread);

    CONCAT(finish_, RESULT)(r, thread);
}
