/* For builds with a leak checker: drivers stay loaded, so that what they leak has names, by
 * which the suppressions know it. */
__attribute__((visibility("default"))) int dlclose(void *library);

int dlclose(void *library)
{
    (void)library;
    return 0;
}
