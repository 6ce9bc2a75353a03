#include "ops/split.h"

#include "ops/op_table.h"
#include "ops/window.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <vector>

namespace ggml_directx {

namespace {

// Kernels count elements by 32 bits, and their last groups run over.
constexpr uint64_t max_elements = uint64_t(1) << 31;

// Sources of other sizes than the result: one of something is for all of the result's; or it stands for something that a slice
// would change; or elements correspond by their number over all dimensions, so that a slice of one is no slice of the other.
enum class others { repeated, refused, renumbered };

// Along which dimensions of its result an op may be cut. `dims` has a character for each dimension: '.' where it may not be.
// `sources` say the same for each source: the source's dimension that is cut along with it, or '-' where the source stays
// whole. Sources that are not named stay whole.
struct split_rule {
    ggml_op                         op;
    std::string_view                dims;
    std::array<std::string_view, 5> sources = {};
    others                          of      = others::repeated;
};

// clang-format off: a table
constexpr split_rule rules[] = {
    { GGML_OP_ADD, "0123", { "0123", "0123" } },
    { GGML_OP_ADD1, "0123", { "0123" } },
    { GGML_OP_ADD_ID, ".12.", { "-12-", "----", "-01-" } },
    { GGML_OP_ARGSORT, ".123", { "-123" } },
    { GGML_OP_CLAMP, "0123", { "0123" } },
    { GGML_OP_CONCAT, "0123", { "0123", "0123" }, others::refused },
    { GGML_OP_CONT, "0123", { "0123" }, others::renumbered },
    { GGML_OP_CONV_2D, "..23", { "--3-", "---3" }, others::refused },
    { GGML_OP_CONV_2D_DW, "...3", { "----", "---3" }, others::refused },
    { GGML_OP_COS, "0123", { "0123" } },
    { GGML_OP_CPY, "0123", { "0123" }, others::renumbered },
    { GGML_OP_CUMSUM, ".123", { "-123" } },
    { GGML_OP_DIAG, "..23", { "--23" } },
    { GGML_OP_DIAG_MASK_INF, "..23", { "--23" } },
    { GGML_OP_DIAG_MASK_ZERO, "..23", { "--23" } },
    { GGML_OP_DIV, "0123", { "0123", "0123" } },
    { GGML_OP_DUP, "0123", { "0123" }, others::renumbered },
    { GGML_OP_FILL, "0123" },
    { GGML_OP_FLASH_ATTN_EXT, "..23", { "--13", "---3", "---3", "--13", "----" } },
    { GGML_OP_GET_ROWS, ".123", { "--23", "-012" } },
    { GGML_OP_GLU, ".123", { "-123", "-123" } },
    { GGML_OP_GROUP_NORM, "...3", { "---3" } },
    { GGML_OP_IM2COL, "...3", { "----", "---3" }, others::refused },
    { GGML_OP_L2_NORM, ".123", { "-123" } },
    { GGML_OP_LEAKY_RELU, "0123", { "0123" } },
    { GGML_OP_LOG, "0123", { "0123" } },
    { GGML_OP_MEAN, ".123", { "-123" } },
    { GGML_OP_MUL, "0123", { "0123", "0123" } },
    { GGML_OP_MUL_MAT, "0123", { "1-23", "-123" } },
    { GGML_OP_MUL_MAT_ID, "..2.", { "----", "--2-", "--1-" } },
    { GGML_OP_NORM, ".123", { "-123" } },
    { GGML_OP_OPT_STEP_ADAMW, "0123", { "0123", "0123", "0123", "0123" } },
    { GGML_OP_OPT_STEP_SGD, "0123", { "0123", "0123" } },
    { GGML_OP_OUT_PROD, "0123", { "0-23", "-023" } },
    { GGML_OP_PAD, "0123", { "0123" }, others::refused },
    { GGML_OP_PAD_REFLECT_1D, ".123", { "-123" }, others::refused },
    { GGML_OP_POOL_1D, ".123", { "-123" }, others::refused },
    { GGML_OP_POOL_2D, "..23", { "--23" }, others::refused },
    { GGML_OP_REPEAT, "0123", { "0123" } },
    { GGML_OP_RMS_NORM, ".123", { "-123" } },
    { GGML_OP_RMS_NORM_BACK, ".123", { "-123", "-123" } },
    { GGML_OP_ROPE, ".123", { "-123", "--0-" }, others::refused },
    { GGML_OP_ROPE_BACK, ".123", { "-123", "--0-" }, others::refused },
    { GGML_OP_SCALE, "0123", { "0123" } },
    { GGML_OP_SET_ROWS, "..23", { "--23", "--12" } },
    { GGML_OP_SILU_BACK, "0123", { "0123", "0123" } },
    { GGML_OP_SIN, "0123", { "0123" } },
    { GGML_OP_SOFT_MAX, ".1.3", { "-1-3", "-1-3" } },
    { GGML_OP_SOFT_MAX_BACK, ".123", { "-123", "-123" } },
    { GGML_OP_SOLVE_TRI, "0.23", { "--23", "0-23" } },
    { GGML_OP_SQR, "0123", { "0123" } },
    { GGML_OP_SQRT, "0123", { "0123" } },
    { GGML_OP_SSM_CONV, "0.2.", { "1-2-", "1---" }, others::refused },
    { GGML_OP_SUB, "0123", { "0123", "0123" } },
    { GGML_OP_SUM_ROWS, ".123", { "-123" } },
    { GGML_OP_TIMESTEP_EMBEDDING, ".1..", { "-0--" }, others::refused },
    { GGML_OP_TOP_K, ".123", { "-123" } },
    { GGML_OP_TRI, "..23", { "--23" } },
    { GGML_OP_UNARY, "0123", { "0123" } },
    { GGML_OP_UPSCALE, "..23", { "--23" }, others::refused },
};
// clang-format on

bool is_beyond(const encoder & e, const ggml_tensor * t) {
    return ggml_nbytes(t) >= e.caps().max_span || uint64_t(ggml_nelements(t)) > max_elements;
}

bool has_large_tensors(const encoder & e, const ggml_tensor * node) {
    return is_beyond(e, node) ||
           std::any_of(std::begin(node->src), std::end(node->src), [&](const ggml_tensor * src) { return src && is_beyond(e, src); });
}

// A node with those of its tensors shortened that are cut along a dimension of its result.
class slice {
public:
    slice(const split_rule & rule, const ggml_tensor * node, int dim) : node_(*node) {
        valid_ = rule.dims[dim] != '.' && node->ne[dim] > 1 && (dim > 0 || ggml_blck_size(node->type) == 1);
        parts_.push_back({ &node_, dim, node_.data });
        for (size_t i = 0; i < sources_.size(); ++i) {
            if (!node->src[i]) {
                continue;
            }
            sources_[i]  = *node->src[i];
            node_.src[i] = &sources_[i];
            if (rule.sources[i].empty() || rule.sources[i][dim] == '-') {
                continue;
            }
            valid_ &= rule.of != others::renumbered || ggml_are_same_shape(&sources_[i], node);
            const int     source_dim = rule.sources[i][dim] - '0';
            const int64_t n          = sources_[i].ne[source_dim];
            if (n == node->ne[dim]) {
                parts_.push_back({ &sources_[i], source_dim, sources_[i].data });
                valid_ &= source_dim > 0 || ggml_blck_size(sources_[i].type) == 1;
            } else if (n != 1 || rule.of != others::repeated) {
                valid_ = false;
            }
        }
    }

    slice(const slice &)             = delete;
    slice & operator=(const slice &) = delete;

    // False where the op may not be cut along this dimension.
    bool valid() const { return valid_; }

    const ggml_tensor * node() const { return &node_; }

    // To be asked before the first set(): how many elements of the dimension may go into one slice, at least 1; 0: slices would
    // share words, which different dispatches would write at the same time.
    int64_t longest(const encoder & e) const {
        const int64_t all   = node_.ne[parts_[0].dim];
        uint64_t      count = uint64_t(all);
        for (const part & p : parts_) {
            const uint64_t elements = uint64_t(ggml_nelements(p.tensor) / all);
            const uint64_t reach    = uint64_t(reach_of(e, p.tensor, p.dim));
            count                   = std::min({ count, std::max<uint64_t>(reach, 1), std::max<uint64_t>(max_elements / elements, 1) });
        }
        if (count == uint64_t(all)) {
            return all;
        }
        // Bound at the same alignment all slices choose the same kernels; whole words are a must.
        for (const uint64_t alignment : { bind_alignment, uint64_t(sizeof(uint32_t)) }) {
            const uint64_t unit = alignment / std::gcd(alignment, uint64_t(node_.nb[parts_[0].dim]));
            if (count >= unit) {
                return int64_t(count - count % unit);
            }
        }
        return 0;
    }

    void set(int64_t first, int64_t count) {
        for (const part & p : parts_) {
            p.tensor->ne[p.dim] = count;
            p.tensor->data      = reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(p.data) + uint64_t(first) * p.tensor->nb[p.dim]);
        }
    }

private:
    struct part {
        ggml_tensor * tensor;
        int           dim;
        void *        data;  // of the whole
    };

    ggml_tensor                node_;
    std::array<ggml_tensor, 5> sources_{};
    std::vector<part>          parts_;
    bool                       valid_ = true;
};

// Cuts along dimension `dim` of the result, or the next lower one that serves.
bool encode_slices(encoder & e, const split_rule & rule, const ggml_tensor * node, int dim) {
    const encode_fn encode = find_encode(node->op);
    encoder         dry(e.library(), e.caps(), nullptr);
    if (encode(dry, node)) {
        e.set_node(e.node());  // what scratch memory earlier slices used is free again
        return encode(e, node);
    }
    for (; dim >= 0; --dim) {
        slice s(rule, node, dim);
        if (!s.valid()) {
            continue;
        }
        const int64_t all   = node->ne[dim];
        const int64_t count = s.longest(e);
        for (int64_t first = 0; first < all && count > 0; first += count) {
            s.set(first, std::min(count, all - first));
            if (!encode_slices(e, rule, s.node(), dim - 1)) {
                return false;
            }
        }
        return count > 0;
    }
    return false;
}

}  // namespace

bool encode_node(encoder & e, const ggml_tensor * node) {
    const encode_fn encode = find_encode(node->op);
    if (!encode) {
        return false;
    }
    if (!has_large_tensors(e, node)) {
        return encode(e, node);
    }
    const auto rule = std::find_if(std::begin(rules), std::end(rules), [&](const split_rule & r) { return r.op == node->op; });
    return rule == std::end(rules) ? encode(e, node) : encode_slices(e, *rule, node, GGML_MAX_DIMS - 1);
}

}  // namespace ggml_directx
