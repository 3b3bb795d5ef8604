/* Textures of the lab: the declarations of CUDA and OpenCL against their headers if these exist, and a texture on each
 * device of this machine. */
#if defined(__has_include)
#if __has_include(<cuda.h>)
#include <cuda.h>
#endif
#if __has_include(<CL/cl.h>)
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#endif
#endif

#include "lab/access/texture.h"
#include "lab/access/texture_api.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* --- 1. declarations ---------------------------------------------------------------------------------------------- */

#define SAME_PLACE(theirs, their_member, ours, our_member)                                                             \
    _Static_assert(offsetof(theirs, their_member) == offsetof(ours, our_member) &&                                     \
                       sizeof(((theirs *)0)->their_member) == sizeof(((ours *)0)->our_member),                         \
                   #their_member);
#define SAME_VALUE(theirs, ours) _Static_assert((long)(theirs) == (long)(ours), #theirs);

#ifdef CUDA_VERSION
_Static_assert(sizeof(CUDA_RESOURCE_DESC) == sizeof(lab_cuda_resource) && sizeof(lab_cuda_resource) == 144, "resource");
_Static_assert(sizeof(CUDA_TEXTURE_DESC) == sizeof(lab_cuda_sampling) && sizeof(lab_cuda_sampling) == 104, "sampling");
_Static_assert(__builtin_types_compatible_p(CUtexObject, lab_cuda_texture), "CUtexObject");
SAME_PLACE(CUDA_RESOURCE_DESC, resType, lab_cuda_resource, type)
SAME_PLACE(CUDA_RESOURCE_DESC, res, lab_cuda_resource, of)
SAME_PLACE(CUDA_RESOURCE_DESC, res.linear.devPtr, lab_cuda_resource, of.linear.address)
SAME_PLACE(CUDA_RESOURCE_DESC, res.linear.format, lab_cuda_resource, of.linear.format)
SAME_PLACE(CUDA_RESOURCE_DESC, res.linear.numChannels, lab_cuda_resource, of.linear.channels)
SAME_PLACE(CUDA_RESOURCE_DESC, res.linear.sizeInBytes, lab_cuda_resource, of.linear.bytes)
SAME_PLACE(CUDA_RESOURCE_DESC, flags, lab_cuda_resource, flags)
SAME_PLACE(CUDA_TEXTURE_DESC, addressMode, lab_cuda_sampling, address_mode)
SAME_PLACE(CUDA_TEXTURE_DESC, filterMode, lab_cuda_sampling, filter)
SAME_PLACE(CUDA_TEXTURE_DESC, flags, lab_cuda_sampling, flags)
SAME_PLACE(CUDA_TEXTURE_DESC, maxAnisotropy, lab_cuda_sampling, anisotropy)
SAME_PLACE(CUDA_TEXTURE_DESC, mipmapFilterMode, lab_cuda_sampling, level_filter)
SAME_PLACE(CUDA_TEXTURE_DESC, mipmapLevelBias, lab_cuda_sampling, level_bias)
SAME_PLACE(CUDA_TEXTURE_DESC, minMipmapLevelClamp, lab_cuda_sampling, least_level)
SAME_PLACE(CUDA_TEXTURE_DESC, maxMipmapLevelClamp, lab_cuda_sampling, most_level)
SAME_PLACE(CUDA_TEXTURE_DESC, borderColor, lab_cuda_sampling, border)
SAME_PLACE(CUDA_TEXTURE_DESC, reserved, lab_cuda_sampling, room)
SAME_VALUE(CU_RESOURCE_TYPE_LINEAR, LAB_CUDA_LINEAR)
SAME_VALUE(CU_AD_FORMAT_UNSIGNED_INT32, LAB_CUDA_UINT32)
SAME_VALUE(CU_TRSF_READ_AS_INTEGER, LAB_CUDA_AS_INTEGERS)
/* The calls, in the types of the header: ours have other names for the same structs. */
_Static_assert(__builtin_types_compatible_p(__typeof__(&cuTexObjectCreate),
                                            CUresult (*)(CUtexObject *, const CUDA_RESOURCE_DESC *,
                                                         const CUDA_TEXTURE_DESC *, const CUDA_RESOURCE_VIEW_DESC *)),
               "cuTexObjectCreate");
_Static_assert(__builtin_types_compatible_p(__typeof__(&cuTexObjectDestroy), lab_cuda_destroy_texture),
               "cuTexObjectDestroy");
#endif

#ifdef CL_VERSION_1_2
_Static_assert(sizeof(cl_image_format) == sizeof(lab_cl_format), "cl_image_format");
_Static_assert(sizeof(cl_image_desc) == sizeof(lab_cl_image), "cl_image_desc");
SAME_PLACE(cl_image_format, image_channel_order, lab_cl_format, order)
SAME_PLACE(cl_image_format, image_channel_data_type, lab_cl_format, type)
SAME_PLACE(cl_image_desc, image_type, lab_cl_image, type)
SAME_PLACE(cl_image_desc, image_width, lab_cl_image, width)
SAME_PLACE(cl_image_desc, image_height, lab_cl_image, height)
SAME_PLACE(cl_image_desc, image_depth, lab_cl_image, depth)
SAME_PLACE(cl_image_desc, image_array_size, lab_cl_image, array_size)
SAME_PLACE(cl_image_desc, image_row_pitch, lab_cl_image, row_pitch)
SAME_PLACE(cl_image_desc, image_slice_pitch, lab_cl_image, slice_pitch)
SAME_PLACE(cl_image_desc, num_mip_levels, lab_cl_image, levels)
SAME_PLACE(cl_image_desc, num_samples, lab_cl_image, samples)
SAME_PLACE(cl_image_desc, buffer, lab_cl_image, buffer)
SAME_VALUE(CL_DEVICE_IMAGE_SUPPORT, LAB_CL_DEVICE_IMAGE_SUPPORT)
SAME_VALUE(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, LAB_CL_DEVICE_IMAGE_MAX_BUFFER_SIZE)
SAME_VALUE(CL_MEM_READ_ONLY, LAB_CL_MEM_READ_ONLY)
SAME_VALUE(CL_R, LAB_CL_R)
SAME_VALUE(CL_UNSIGNED_INT32, LAB_CL_UNSIGNED_INT32)
SAME_VALUE(CL_MEM_OBJECT_IMAGE1D_BUFFER, LAB_CL_MEM_OBJECT_IMAGE1D_BUFFER)
#endif

/* --- 2. on the devices of this machine ---------------------------------------------------------------------------- */

enum { N = 1 << 14, ITEMS = 128 };

static lab_device *opened(const char *where)
{
    oplus_device *there;
    if (oplus_open(where, &there) != OPLUS_OK) {
        print_message("%s: %s\n", where, oplus_last_error());
        skip();
    }
    oplus_close(there);
    return lab_device_open(where, false);
}

static void reads_through(const char *where)
{
    static uint32_t in[N], out[N];
    char why[LAB_TEXTURE_WHY] = "";
    const uint32_t n = N;
    lab_texture texture;
    lab_device *const dev = opened(where);
    for (uint32_t i = 0; i < N; i++) in[i] = i * 2654435761u;
    void *const from = lab_alloc(dev, sizeof in), *const to = lab_alloc(dev, sizeof out);
    lab_upload(dev, from, in, sizeof in);
    const bool there = lab_texture_open(dev, from, N, &texture, why);
    if (there) {
        void *const kernel = lab_kernel(dev, "access/plain-texture.cl", "sequential", "#define FROM_TEXTURE");
        lab_launch(dev, kernel, N / ITEMS, ITEMS, lab_texture_argument(&texture), opi_memory(to), opi_value(n));
        lab_download(dev, out, to, sizeof out);
        lab_texture_close(&texture);
        assert_memory_equal(in, out, sizeof in);
    } else {
        assert_string_not_equal(why, ""); /* a reason at least */
        print_message("%s: %s\n", where, why);
    }
    lab_free(dev, from);
    lab_free(dev, to);
    lab_device_close(dev);
}

static void on_opencl(void **state)
{
    (void)state;
    reads_through("opencl");
}

static void on_cuda(void **state)
{
    (void)state;
    reads_through("cuda");
}

/* More than any device has: the call gives a reason, and the program goes on. */
static void too_large(void **state)
{
    char why[LAB_TEXTURE_WHY] = "";
    lab_texture texture;
    (void)state;
    lab_device *const dev = opened("opencl");
    void *const mem = lab_alloc(dev, 64);
    assert_false(lab_texture_open(dev, mem, (size_t)1 << 40, &texture, why));
    assert_string_not_equal(why, "");
    lab_free(dev, mem);
    lab_device_close(dev);
}

static void absent_calls(void **state)
{
    char why[LAB_TEXTURE_WHY] = "";
    int (*const here)(void) = getchar;
    (void)state;
    assert_non_null(lab_texture_symbol(&here, "getchar", why));
    assert_null(lab_texture_symbol(&here, "cuTexObjectCreate", why));
    assert_string_equal(why, "the driver's library has no cuTexObjectCreate");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(on_opencl), cmocka_unit_test(on_cuda),
                                       cmocka_unit_test(too_large), cmocka_unit_test(absent_calls)};
    return cmocka_run_group_tests_name("textures of the lab", tests, NULL, NULL);
}
