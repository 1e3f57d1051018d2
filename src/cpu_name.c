/* The CPU's name for recipes, as the kernel tells it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qpel/recipe.h"

/* MIDR part numbers of implementer 0x41, Arm: the kernel gives Arm cores no name. */
static const struct {
    unsigned part;
    const char *name;
} arm_cores[] = {
    { 0xc07, "Cortex-A7" },   { 0xc0f, "Cortex-A15" }, { 0xd03, "Cortex-A53" },
    { 0xd05, "Cortex-A55" },  { 0xd07, "Cortex-A57" }, { 0xd08, "Cortex-A72" },
    { 0xd09, "Cortex-A73" },  { 0xd0a, "Cortex-A75" }, { 0xd0b, "Cortex-A76" },
    { 0xd0c, "Neoverse-N1" }, { 0xd0d, "Cortex-A77" }, { 0xd41, "Cortex-A78" },
};

/* "key<blanks>: value", or null. */
static char *value_of(char *line, const char *key)
{
    size_t n = strlen(key);
    if (strncmp(line, key, n))
        return NULL;
    char *colon = strchr(line + n, ':');
    if (!colon)
        return NULL;
    colon += 1 + strspn(colon + 1, " \t");
    colon[strcspn(colon, "\n")] = 0;
    return colon;
}

void qpel_cpu_name(char name[QPEL_NAME_SIZE])
{
    snprintf(name, QPEL_NAME_SIZE, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "re");
    if (!file)
        return;
    char line[512], *value;
    unsigned long implementer = 0, part = 0;
    /* Of unequal cores the last one listed counts: the fastest on all known boards. */
    while (fgets(line, sizeof line, file)) {
        if ((value = value_of(line, "model name")))
            snprintf(name, QPEL_NAME_SIZE, "%.*s", QPEL_NAME_SIZE - 1, value);
        else if ((value = value_of(line, "CPU implementer")))
            implementer = strtoul(value, NULL, 0);
        else if ((value = value_of(line, "CPU part")))
            part = strtoul(value, NULL, 0);
    }
    fclose(file);
    if (!part)
        return;
    snprintf(name, QPEL_NAME_SIZE, "Arm core %#lx:%#lx", implementer, part);
    for (size_t i = 0; implementer == 0x41 && i < sizeof arm_cores / sizeof *arm_cores; i++)
        if (arm_cores[i].part == part)
            snprintf(name, QPEL_NAME_SIZE, "%s", arm_cores[i].name);
}
