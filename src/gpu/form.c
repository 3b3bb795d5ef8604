#include "gpu/form.h"

#include "base/error.h"
#include "base/memory.h"
#include "text/source.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ELEMENT = 64 /* bytes that count when a map is cut */ };

/* What the sources below are written from. */
typedef struct context {
    const opi_form *form;
    opi_shape shape;
} context;

/* --- reduce, scan, segmented scan ------------------------------------------------------------------------------- */

static size_t scan_element(const opi_form *form) { return form->op->type->size; }

/* With heads a node is an element and its flag, laid out as C lays out a struct of them. */
static size_t scan_node(const opi_form *form)
{
    const oplus_type *const type = form->op->type;
    const size_t align = type->align > sizeof(uint32_t) ? type->align : sizeof(uint32_t);
    return form->lifted ? opi_round_up(opi_round_up(type->size, sizeof(uint32_t)) + sizeof(uint32_t), align)
                        : type->size;
}

static void write_scan(opi_gpu_source *source, const void *given)
{
    const context *const c = given;
    opi_gpu_write_shape(source, c->shape, c->form->op->type->size);
    opi_gpu_define(source, "OPI_LIFTED", c->form->lifted);
    opi_gpu_write_op(source, c->form->op);
    opi_gpu_write_kernels(source, c->form->lifted ? "lifted" : "plain");
    opi_gpu_write_kernels(source, "tree");
    opi_gpu_write_kernels(source, "tile");
    opi_gpu_write_kernels(source, "spine");
    opi_gpu_write_kernels(source, "scan");
}

/* --- map -------------------------------------------------------------------------------------------------------- */

/* One element of each input: a work-item's are all under way at once.  No memory is shared, so that there may be as
 * many work-items as there are, however large it is. */
static size_t map_element(const opi_form *form)
{
    size_t bytes = 0;
    for (unsigned k = 0; k < form->fn->arity; k++) bytes += form->fn->input[k]->size;
    return opi_smaller(bytes, MOST_ELEMENT);
}

/* How many elements of each array a work-item moves at a time. */
static size_t moved_together(const context *c)
{
    const oplus_fn *const fn = c->form->fn;
    size_t largest = fn->result->size;
    bool divide = OPI_VECTOR_BYTES % largest == 0;
    for (unsigned k = 0; k < fn->arity; k++) {
        largest = opi_larger(largest, fn->input[k]->size);
        divide = divide && OPI_VECTOR_BYTES % fn->input[k]->size == 0;
    }
    return divide && c->shape.log_w > 0 ? opi_smaller(OPI_VECTOR_BYTES / largest, (size_t)1 << c->shape.log_e) : 1;
}

static void write_map(opi_gpu_source *source, const void *given)
{
    const context *const c = given;
    opi_gpu_write_shape(source, c->shape, map_element(c->form));
    opi_gpu_define(source, "OPI_INPUTS", c->form->fn->arity);
    opi_gpu_define(source, "OPI_PARAMETER", c->form->fn->param_type != NULL);
    opi_gpu_define(source, "OPI_MOVED", moved_together(c));
    opi_gpu_write_fn(source, c->form->fn, false);
    opi_gpu_write_kernels(source, "map");
}

/* --- filter ----------------------------------------------------------------------------------------------------- */

static size_t filter_element(const opi_form *form) { return form->fn->input[0]->size; }
static size_t filter_node(const opi_form *form)
{
    (void)form;
    return sizeof(uint64_t);
}

static void write_filter(opi_gpu_source *source, const void *given)
{
    const context *const c = given;
    opi_gpu_write_shape(source, c->shape, filter_element(c->form));
    opi_gpu_define(source, "OPI_UNIT", opi_smaller(c->form->fn->input[0]->align, OPI_VECTOR_BYTES));
    opi_gpu_define(source, "OPI_PARAMETER", c->form->fn->param_type != NULL);
    opi_gpu_write_fn(source, c->form->fn, true);
    opi_gpu_write_kernels(source, "bound"); /* to nothing */
    opi_gpu_write_kernels(source, "kept");
    opi_gpu_write_kernels(source, "tree");
    opi_gpu_write_kernels(source, "tile");
    opi_gpu_write_kernels(source, "spine");
    opi_gpu_write_kernels(source, "unit");
    opi_gpu_write_kernels(source, "filter");
}

/* --- the table -------------------------------------------------------------------------------------------------- */

static const struct {
    const char *kernels;                     /* opi_form::kernels */
    size_t (*element)(const opi_form *form); /* bytes of what a work-item has OPI_E of */
    size_t (*node)(const opi_form *form);    /* bytes of what is carried; NULL: nothing is */
    void (*write)(opi_gpu_source *source, const void *context);
} recipes[] = {
    {"scan", scan_element, scan_node, write_scan},
    {"map", map_element, NULL, write_map},
    {"filter", filter_element, filter_node, write_filter},
};

oplus_status opi_form_program(opi_programs *programs, const char *call, const opi_form *form, opi_formed *formed)
{
    char what[OPI_WHAT_BYTES] = "";
    size_t i = 0;
    while (strcmp(recipes[i].kernels, form->kernels) != 0) i++; /* leaves name no other */
    formed->node = recipes[i].node ? recipes[i].node(form) : 0;
    formed->shape = opi_shape_for(&programs->gpu->facts, recipes[i].element(form), formed->node);

    opi_key key = opi_key_begin(form->kernels, formed->shape);
    opi_key_number(&key, form->lifted);
    assert(!form->op || !form->fn);
    if (form->op) {
        opi_key_op(&key, form->op);
        opi_gpu_what(what, OPI_LABEL_OP, form->op->name, form->op->file, form->op->line);
    }
    if (form->fn) {
        opi_key_fn(&key, form->fn);
        opi_gpu_what(what, form->fn->predicate ? OPI_LABEL_PREDICATE : OPI_LABEL_FN, form->fn->name, form->fn->file,
                     form->fn->line);
    }
    const context c = {form, formed->shape};
    return opi_program_get(programs, call, what, key.hash, recipes[i].write, &c, &formed->program);
}
