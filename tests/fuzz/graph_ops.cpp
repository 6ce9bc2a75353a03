#include "graph_ops.h"

const std::vector<graph_op> & graph_ops() {
    static const std::vector<graph_op> table = [] {
        std::vector<graph_op> ops;
        add_elementwise_ops(ops);
        add_row_ops(ops);
        add_copy_ops(ops);
        add_product_ops(ops);
        add_image_ops(ops);
        add_recurrent_ops(ops);
        add_training_ops(ops);
        return ops;
    }();
    return table;
}
