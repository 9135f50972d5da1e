/* SPDX-License-Identifier: GPL-2.0-only */
/* In place of the kernel's header of that name, where there is none. */
#ifndef READER_LINUX_TYPES_H
#define READER_LINUX_TYPES_H

#include <stdint.h>

typedef uint8_t __u8;
typedef uint16_t __u16;
typedef uint32_t __u32;
typedef uint64_t __u64;
typedef int64_t __s64;

#endif
