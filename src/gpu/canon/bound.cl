/* An operator may have a captured parameter, and its identity may depend on the parameter.  Both are values of the
 * call, not of the program.
 *
 * A kernel has OPI_KERNEL_P behind its parameters and begins with OPI_READ_P.  Each function between the kernel and
 * opi_join has OPI_TAKE_P behind its parameters, and its callers have OPI_GIVE_P behind the arguments.  If there is no
 * captured parameter, all of these are empty; but OPI_KERNEL_P is there, too, where only another function beside the
 * operator has a parameter (OPI_OTHERS_BOUND, elements.cl). */
#if OPI_BOUND || OPI_OTHERS_BOUND
#define OPI_KERNEL_P , OPI_PARAM(param)
#else
#define OPI_KERNEL_P
#endif
#if OPI_BOUND
typedef struct opi_bound {
    opi_p p;
    opi_t identity;
} opi_bound;
#define OPI_READ_P                                                                                                     \
    opi_bound own_bound;                                                                                               \
    const opi_bound *const bound = &own_bound;                                                                         \
    own_bound.p = *OPI_AT(const opi_p, param);                                                                         \
    own_bound.identity = *(OPI_GLOBAL const opi_t *)(OPI_AT(const uint8_t, param) + OPI_IDENTITY_AT);
#define OPI_TAKE_P     , const opi_bound *bound
#define OPI_GIVE_P     , bound
#define OPI_OP_P       , bound->p
#define opi_identity() (bound->identity)
#else
#define OPI_READ_P
#define OPI_TAKE_P
#define OPI_GIVE_P
#define OPI_OP_P
#endif
