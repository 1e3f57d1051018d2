/* cmocka, with what it wants included first, and programs that say what they skipped. */
#ifndef TESTS_HARNESS_H
#define TESTS_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* The exit status that Meson shows as skipped. */
#define EXIT_SKIPPED 77

/* Says why and skips the running test. */
#define SKIP_TEST(...)                                                                             \
    do {                                                                                           \
        printf("# skipped: ");                                                                     \
        printf(__VA_ARGS__);                                                                       \
        printf("\n");                                                                              \
        harness_skipped++;                                                                         \
        skip();                                                                                    \
    } while (0)

extern int harness_skipped;

/* Runs a group and returns the program's exit status: skipped where every test was. */
#define RUN_GROUP(name, tests)                                                                     \
    harness_status(                                                                                \
        _cmocka_run_group_tests(name, tests, sizeof(tests) / sizeof *(tests), NULL, NULL),         \
        (int)(sizeof(tests) / sizeof *(tests)))

int harness_status(int failed, int tests);

#endif
