#ifndef GGML_DIRECTX_ROWS_ARGS_H
#define GGML_DIRECTX_ROWS_ARGS_H

#include "tensor_args.h"

#ifdef __cplusplus
namespace ggml_directx::args {
#endif

struct get_rows_args {
    tensor_args src;
    tensor_args rows;
    tensor_args dst;
    uint        chunks;   // of 8 elements in a row, the last one perhaps short
    uint        n_rows;   // to get, over all dimensions
    uint        first;    // src begins at this row of its table; unless it is 0, what other rows are wanted for is left alone
    uint        unused0;
};

struct get_rows_back_args {
    tensor_args gradient; // of the rows that were got
    tensor_args rows;
    tensor_args dst;      // gradient of what they were got from
    uint        chunks;   // groups for one row
    uint        n_rows;   // that were got
    uint        unused0;
    uint        unused1;
};

// Without `indexed` it is a plain copy: element i of the source goes to element i of the destination, counted over all
// dimensions; the destination's ne are in blocks then.
struct set_rows_args {
    tensor_args src;
    tensor_args rows;
    tensor_args dst;
    uint        per_row;  // threads' pieces in a row: blocks, or `width` elements
    uint        count;    // pieces in all
    uint        width;    // of plain types: elements a piece
    uint        indexed;
    uint        runs;     // the source's elements of a block are neighbours
    uint        first;    // dst begins at this row of its table; indices count from the table's beginning
    uint        unused0;
    uint        unused1;
};

#ifdef __cplusplus
}
#endif
#endif
