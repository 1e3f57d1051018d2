#include "cpu.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

/* XCR0: the kernel saves xmm and the upper halves of ymm registers. */
#define XCR0_SSE_AVX 0x6u

static unsigned xcr0(void)
{
    unsigned eax, edx;

    __asm__ volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
    (void)edx;
    return eax;
}

unsigned qpel_cpu_features(void)
{
    unsigned features = 0, eax, ebx, ecx, edx;

    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx))
        return 0;
    if (ecx & bit_SSSE3)
        features |= QPEL_CPU_SSSE3;

    const unsigned avx = bit_OSXSAVE | bit_AVX;

    if ((ecx & avx) == avx && (xcr0() & XCR0_SSE_AVX) == XCR0_SSE_AVX &&
        __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ebx & bit_AVX2))
        features |= QPEL_CPU_AVX2;
    return features;
}

#elif defined(__linux__) && (defined(__aarch64__) || defined(__arm__))
#include <sys/auxv.h>

/* The kernel's bit of AT_HWCAP, a stable interface. */
#ifdef __aarch64__
#define HWCAP_BIT_NEON (1ul << 1) /* ASIMD */
#else
#define HWCAP_BIT_NEON (1ul << 12)
#endif

unsigned qpel_cpu_features(void)
{
    return getauxval(AT_HWCAP) & HWCAP_BIT_NEON ? QPEL_CPU_NEON : 0;
}

#else

unsigned qpel_cpu_features(void)
{
    unsigned features = 0;

    /* Nobody to ask: only what the compiler was told to rely on. */
#ifdef __ARM_NEON
    features |= QPEL_CPU_NEON;
#endif
    return features;
}

#endif
