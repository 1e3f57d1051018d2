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

/* The kernel's bits of AT_HWCAP, a stable interface; <asm/hwcap.h> has only
 * those that its own version knew. */
#ifdef __aarch64__
#define HWCAP_BIT_NEON    (1ul << 1)  /* ASIMD */
#define HWCAP_BIT_DOTPROD (1ul << 20) /* ASIMDDP */
#else
#define HWCAP_BIT_NEON    (1ul << 12) /* NEON */
#define HWCAP_BIT_DOTPROD (1ul << 24) /* ASIMDDP */
#endif

unsigned qpel_cpu_features(void)
{
    unsigned long hwcap = getauxval(AT_HWCAP);
    unsigned features = 0;

    if (hwcap & HWCAP_BIT_NEON)
        features |= QPEL_CPU_NEON;
    if (hwcap & HWCAP_BIT_DOTPROD)
        features |= QPEL_CPU_DOTPROD;
    return features;
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
