/* SPDX-License-Identifier: Apache-2.0 */
/** @file instance.h
 *  The macros that make an instance of all these loops for one operator. */
#ifndef OPLUS_DETAIL_INSTANCE_H
#define OPLUS_DETAIL_INSTANCE_H

#include <oplus/detail/heads.h>
#include <oplus/detail/segments.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- an operator's own instance -------------------------------------------------------------------------------- */

/* A parameter or local variable here could hide a type or an operator of yours: so each such name begins with
 * oplus_my_.  own: the beginning of the functions' names, oplus_name in your translation unit.
 *
 * The joins are always inlined: of many joins in a translation unit gcc would otherwise leave some as calls (reduce of
 * double[5]: 3.2 ns an element against 1.1). */
#define OPLUS_TYPED_ELEMENT_(own, name, T)                                                                             \
    OPLUS_INLINE_ OPLUS_STRICT_ void own##_combine_(void *oplus_my_out, const void *oplus_my_a,                        \
                                                    const void *oplus_my_b)                                            \
    {                                                                                                                  \
        *(T *)oplus_my_out = name(*(const T *)oplus_my_a, *(const T *)oplus_my_b);                                     \
    }                                                                                                                  \
    OPLUS_INLINE_ OPLUS_STRICT_ void own##_lift_(void *oplus_my_out, int oplus_my_head, const void *oplus_my_a,        \
                                                 const void *oplus_my_b)                                               \
    {                                                                                                                  \
        const T oplus_my_y = *(const T *)oplus_my_b, oplus_my_joined = name(*(const T *)oplus_my_a, oplus_my_y);       \
        *(T *)oplus_my_out = oplus_my_head ? oplus_my_y : oplus_my_joined;                                             \
    }                                                                                                                  \
    OPLUS_TYPED_MOVES_(own, T)
#define OPLUS_TYPED_ELEMENT_WITH_(own, name, T, P)                                                                     \
    OPLUS_INLINE_ OPLUS_STRICT_ void own##_combine_(void *oplus_my_out, const void *oplus_my_a,                        \
                                                    const void *oplus_my_b, const void *oplus_my_param)                \
    {                                                                                                                  \
        *(T *)oplus_my_out = name(*(const T *)oplus_my_a, *(const T *)oplus_my_b, *(const P *)oplus_my_param);         \
    }                                                                                                                  \
    OPLUS_INLINE_ OPLUS_STRICT_ void own##_lift_(void *oplus_my_out, int oplus_my_head, const void *oplus_my_a,        \
                                                 const void *oplus_my_b, const void *oplus_my_param)                   \
    {                                                                                                                  \
        const T oplus_my_y = *(const T *)oplus_my_b,                                                                   \
                oplus_my_joined = name(*(const T *)oplus_my_a, oplus_my_y, *(const P *)oplus_my_param);                \
        *(T *)oplus_my_out = oplus_my_head ? oplus_my_y : oplus_my_joined;                                             \
    }                                                                                                                  \
    OPLUS_TYPED_MOVES_(own, T)
#define OPLUS_TYPED_MOVES_(own, T)                                                                                     \
    OPLUS_INLINE_ OPLUS_STRICT_ void own##_copy_(void *oplus_my_out, const void *oplus_my_a, size_t oplus_my_size)     \
    {                                                                                                                  \
        (void)oplus_my_size;                                                                                           \
        *(T *)oplus_my_out = *(const T *)oplus_my_a;                                                                   \
    }                                                                                                                  \
    OPLUS_INLINE_ OPLUS_STRICT_ void own##_pick_(void *oplus_my_out, int oplus_my_first, const void *oplus_my_a,       \
                                                 const void *oplus_my_b, size_t oplus_my_size)                         \
    {                                                                                                                  \
        (void)oplus_my_size;                                                                                           \
        const T oplus_my_x = *(const T *)oplus_my_a, oplus_my_y = *(const T *)oplus_my_b;                              \
        *(T *)oplus_my_out = oplus_my_first ? oplus_my_x : oplus_my_y;                                                 \
    }

/* The first lines of a loop.  They copy the parameter out of the caller's memory: a compiler must assume that a result
 * may be written there. */
#define OPLUS_ELEMENT_(own, T)                                                                                         \
    const oplus_element oplus_my_e = {sizeof(T),   own##_combine_, own##_lift_, own##_copy_,                           \
                                      own##_pick_, NULL,           NULL,        NULL};
#define OPLUS_ELEMENT_WITH_(own, T, P)                                                                                 \
    const P oplus_my_p = *(const P *)oplus_my_param;                                                                   \
    const oplus_element oplus_my_e = {sizeof(T),   NULL,           NULL,        own##_copy_,                           \
                                      own##_pick_, own##_combine_, own##_lift_, &oplus_my_p};

/* Of larger elements fixed trees would be long, and gain little. */
#define OPLUS_HAS_SEGMENTS_(T) (sizeof(T) <= 64)
#define OPLUS_HAS_RUN_(T)      (sizeof(T) <= 256)
#define OPLUS_HAS_SEGRUN_(T)   (sizeof(T) <= 24) /* double[5], double[8]: up to 1.6 times the time of blocks */

/* The loops of one set, and their table. */
#define OPLUS_LEAF_SET_(set, own, T, ATTRIBUTES)                                                                       \
    OPLUS_LOOPS_(set, own, T, ATTRIBUTES, oplus_leaves, (), (OPLUS_ELEMENT_(own, T)))
#define OPLUS_LEAF_SET_WITH_(set, own, T, P, ATTRIBUTES)                                                               \
    OPLUS_LOOPS_(set, own, T, ATTRIBUTES, oplus_leaves_with, (, const void *oplus_my_param),                           \
                 (OPLUS_ELEMENT_WITH_(own, T, P)))
#define OPLUS_UNPAREN_(...) __VA_ARGS__
/* OPLUS_UNPAREN_ for an identity: if you forget the parentheses, the compiler's message has this name in it. */
#define OPLUS_PUT_THE_IDENTITY_IN_PARENTHESES_(...) __VA_ARGS__
#define OPLUS_LOOPS_(set, own, T, ATTRIBUTES, TABLE, parameter, element)                                               \
    ATTRIBUTES static void own##_node##set(const void *oplus_my_in, unsigned oplus_my_level,                           \
                                           void *oplus_my_node OPLUS_UNPAREN_ parameter)                               \
    {                                                                                                                  \
        OPLUS_UNPAREN_ element T oplus_my_nodes[1 << OPLUS_LEAF_LEVEL(sizeof(T))],                                     \
            oplus_my_t[OPLUS_LEAF_LEVEL(sizeof(T)) < 3 ? 1 : 3];                                                       \
        oplus_node_(oplus_my_e, (const char *)oplus_my_in, oplus_my_level, (char *)oplus_my_nodes, (char *)oplus_my_t, \
                    (char *)oplus_my_node);                                                                            \
    }                                                                                                                  \
    ATTRIBUTES static void own##_scan##set(const void *oplus_my_in, unsigned oplus_my_level, int oplus_my_exclusive,   \
                                           const void *oplus_my_before, void *oplus_my_out,                            \
                                           void *oplus_my_node OPLUS_UNPAREN_ parameter)                               \
    {                                                                                                                  \
        OPLUS_UNPAREN_ element T oplus_my_nodes[1 << OPLUS_LEAF_LEVEL(sizeof(T))],                                     \
            oplus_my_ladder[(1 << OPLUS_LEAF_LEVEL(sizeof(T))) + 2];                                                   \
        oplus_scan_(oplus_my_e, (const char *)oplus_my_in, oplus_my_level, oplus_my_exclusive,                         \
                    (const char *)oplus_my_before, (char *)oplus_my_out, (char *)oplus_my_nodes,                       \
                    (char *)oplus_my_ladder, (char *)oplus_my_node);                                                   \
    }                                                                                                                  \
    ATTRIBUTES static void own##_segscan##set(                                                                         \
        const void *oplus_my_in, const uint8_t *oplus_my_heads, unsigned oplus_my_level, int oplus_my_exclusive,       \
        const void *oplus_my_before, const void *oplus_my_identity, void *oplus_my_out, void *oplus_my_node,           \
        uint8_t *oplus_my_head OPLUS_UNPAREN_ parameter)                                                               \
    {                                                                                                                  \
        OPLUS_UNPAREN_ element T oplus_my_nodes[1 << OPLUS_LEAF_LEVEL(sizeof(T))],                                     \
            oplus_my_ladder[(2 << OPLUS_LEAF_LEVEL(sizeof(T))) + 2];                                                   \
        uint8_t oplus_my_flags[1 << OPLUS_LEAF_LEVEL(sizeof(T))];                                                      \
        oplus_segscan_(oplus_my_e, (const char *)oplus_my_in, oplus_my_heads, oplus_my_level, oplus_my_exclusive,      \
                       (const char *)oplus_my_before, (const char *)oplus_my_identity, (char *)oplus_my_out,           \
                       (char *)oplus_my_nodes, oplus_my_flags, (char *)oplus_my_ladder, (char *)oplus_my_node,         \
                       oplus_my_head);                                                                                 \
    }                                                                                                                  \
    ATTRIBUTES static size_t own##_segments##set(const void *oplus_my_in, const uint64_t *oplus_my_offsets,            \
                                                 size_t oplus_my_segments, const void *oplus_my_identity,              \
                                                 void *oplus_my_out OPLUS_UNPAREN_ parameter)                          \
    {                                                                                                                  \
        OPLUS_UNPAREN_ element T oplus_my_t[2], oplus_my_octs[8];                                                      \
        return oplus_segments_(oplus_my_e, (const char *)oplus_my_in, oplus_my_offsets, oplus_my_segments,             \
                               (const char *)oplus_my_identity, (char *)oplus_my_out, (char *)oplus_my_t,              \
                               (char *)oplus_my_octs);                                                                 \
    }                                                                                                                  \
    ATTRIBUTES static void own##_run##set(const void *oplus_my_in, size_t oplus_my_count, int oplus_my_exclusive,      \
                                          const void *oplus_my_before, const void *oplus_my_identity,                  \
                                          void *oplus_my_out, void *oplus_my_all OPLUS_UNPAREN_ parameter)             \
    {                                                                                                                  \
        OPLUS_UNPAREN_ element T oplus_my_nodes[OPLUS_RUN_NODES_], oplus_my_prefix[OPLUS_RUN_NODES_], oplus_my_t[14];  \
        oplus_run_(oplus_my_e, (const char *)oplus_my_in, oplus_my_count, oplus_my_exclusive,                          \
                   (const char *)oplus_my_before, (const char *)oplus_my_identity, (char *)oplus_my_out,               \
                   (char *)oplus_my_nodes, (char *)oplus_my_prefix, (char *)oplus_my_t, (char *)oplus_my_all);         \
    }                                                                                                                  \
    ATTRIBUTES static void own##_segrun##set(                                                                          \
        const void *oplus_my_in, const uint8_t *oplus_my_heads, size_t oplus_my_count, int oplus_my_exclusive,         \
        const void *oplus_my_before, const void *oplus_my_identity, void *oplus_my_out, void *oplus_my_all,            \
        uint8_t *oplus_my_all_flags OPLUS_UNPAREN_ parameter)                                                          \
    {                                                                                                                  \
        OPLUS_UNPAREN_ element T oplus_my_nodes[OPLUS_RUN_NODES_], oplus_my_prefix[OPLUS_RUN_NODES_], oplus_my_t[14];  \
        uint8_t oplus_my_flags[OPLUS_RUN_NODES_];                                                                      \
        oplus_segrun_(oplus_my_e, (const char *)oplus_my_in, oplus_my_heads, oplus_my_count, oplus_my_exclusive,       \
                      (const char *)oplus_my_before, (const char *)oplus_my_identity, (char *)oplus_my_out,            \
                      (char *)oplus_my_nodes, oplus_my_flags, (char *)oplus_my_prefix, (char *)oplus_my_t,             \
                      (char *)oplus_my_all, oplus_my_all_flags);                                                       \
    }                                                                                                                  \
    ATTRIBUTES static void own##_zip##set(const void *oplus_my_a, const void *oplus_my_b, size_t oplus_my_n,           \
                                          void *oplus_my_out OPLUS_UNPAREN_ parameter)                                 \
    {                                                                                                                  \
        OPLUS_UNPAREN_ element oplus_zip_(oplus_my_e, (const char *)oplus_my_a, (const char *)oplus_my_b,              \
                                          (char *)oplus_my_out, oplus_my_n);                                           \
    }                                                                                                                  \
    static const TABLE own##_leaves##set OPLUS_UNUSED_ = {own##_node##set,                                             \
                                                          own##_scan##set,                                             \
                                                          own##_segscan##set,                                          \
                                                          OPLUS_HAS_SEGMENTS_(T) ? own##_segments##set : NULL,         \
                                                          OPLUS_HAS_RUN_(T) ? own##_run##set : NULL,                   \
                                                          OPLUS_HAS_SEGRUN_(T) ? own##_segrun##set : NULL,             \
                                                          own##_zip##set};

#ifdef OPLUS_DEBUG
#define OPLUS_TYPED_LEAVES_(name, T)         OPLUS_TYPED_ELEMENT_(oplus_##name, name, T)
#define OPLUS_TYPED_LEAVES_WITH_(name, T, P) OPLUS_TYPED_ELEMENT_WITH_(oplus_##name, name, T, P)
#define OPLUS_CHOOSE_LEAVES_(name, T, flags) NULL
#elif defined(OPLUS_TWO_SETS_)
#define OPLUS_TYPED_LEAVES_(name, T)                                                                                   \
    OPLUS_TYPED_ELEMENT_(oplus_##name, name, T)                                                                        \
    OPLUS_LEAF_SET_(_, oplus_##name, T, OPLUS_NARROW_ OPLUS_STRICT_)                                                   \
    OPLUS_LEAF_SET_(_wide_, oplus_##name, T, OPLUS_STRICT_)
#define OPLUS_TYPED_LEAVES_WITH_(name, T, P)                                                                           \
    OPLUS_TYPED_ELEMENT_WITH_(oplus_##name, name, T, P)                                                                \
    OPLUS_LEAF_SET_WITH_(_, oplus_##name, T, P, OPLUS_NARROW_ OPLUS_STRICT_)                                           \
    OPLUS_LEAF_SET_WITH_(_wide_, oplus_##name, T, P, OPLUS_STRICT_)
#define OPLUS_CHOOSE_LEAVES_(name, T, flags)                                                                           \
    ((((flags)&OPLUS_WIDE) != 0 || OPLUS_IS_SCALAR_(T)) ? &oplus_##name##_leaves_wide_ : &oplus_##name##_leaves_)
#else
#define OPLUS_TYPED_LEAVES_(name, T)                                                                                   \
    OPLUS_TYPED_ELEMENT_(oplus_##name, name, T)                                                                        \
    OPLUS_LEAF_SET_(_, oplus_##name, T, OPLUS_NARROW_ OPLUS_STRICT_)
#define OPLUS_TYPED_LEAVES_WITH_(name, T, P)                                                                           \
    OPLUS_TYPED_ELEMENT_WITH_(oplus_##name, name, T, P)                                                                \
    OPLUS_LEAF_SET_WITH_(_, oplus_##name, T, P, OPLUS_NARROW_ OPLUS_STRICT_)
#define OPLUS_CHOOSE_LEAVES_(name, T, flags) (&oplus_##name##_leaves_)
#endif

#ifdef __cplusplus
}
#endif
#endif
