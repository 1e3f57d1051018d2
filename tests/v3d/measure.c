#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "v3d_cost.h"

enum { MAX_BINDINGS = 32, MAX_SETS = 4 };

void job_specialize(struct job *job, const char *text)
{
    char id[16];
    const char *value = strchr(text, '=');
    if (!value || (size_t)(value - text) >= sizeof id || job->spec_count == MAX_SPEC)
        fail("'%s' is not ID=VALUE, or one too many", text);
    snprintf(id, sizeof id, "%.*s", (int)(value - text), text);
    value++;
    uint32_t i = job->spec_count++;
    job->spec_map[i] = (VkSpecializationMapEntry){
        .constantID = number(id),
        .offset = i * (uint32_t)sizeof *job->spec_data,
        .size = sizeof *job->spec_data,
    };
    job->spec_data[i] = *value == '-' ? 0u - number(value + 1) : number(value);
}

static VkDescriptorType descriptor_type(char letter)
{
    switch (letter) {
    case 's':
        return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    case 'u':
        return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
    case 't':
        return VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
    case 'T':
        return VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
    case 'c':
        return VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    case 'i':
        return VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
    case 'I':
        return VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    default:
        fail("unknown binding letter '%c'", letter);
    }
}

/* Makes a set's layout of the letters up to '/' or the end, and returns where they end. */
static const char *make_set(const struct driver *d, const char *letters, VkDescriptorSetLayout *set)
{
    VkDescriptorSetLayoutBinding bindings[MAX_BINDINGS];
    uint32_t n = 0;
    for (; *letters && *letters != '/'; letters++) {
        if (n == MAX_BINDINGS)
            fail("more than %d bindings", MAX_BINDINGS);
        bindings[n] = (VkDescriptorSetLayoutBinding){
            .binding = n,
            .descriptorType = descriptor_type(*letters),
            .descriptorCount = 1,
            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
        };
        n++;
    }
    VkDescriptorSetLayoutCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = n,
        .pBindings = bindings,
    };
    check(d->CreateDescriptorSetLayout(d->device, &create, NULL, set),
          "vkCreateDescriptorSetLayout");
    return letters;
}

VkPipelineLayout layout_make(const struct driver *d, const char *letters, uint32_t push_bytes)
{
    VkDescriptorSetLayout sets[MAX_SETS];
    uint32_t n = 0;
    for (bool more = true; more; n++) {
        if (n == MAX_SETS)
            fail("more than %d sets", MAX_SETS);
        letters = make_set(d, letters, &sets[n]);
        more = *letters++ == '/';
    }
    VkPushConstantRange push = {
        .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
        .size = push_bytes,
    };
    VkPipelineLayoutCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = n,
        .pSetLayouts = sets,
        .pushConstantRangeCount = push_bytes ? 1 : 0,
        .pPushConstantRanges = &push,
    };
    VkPipelineLayout layout;
    check(d->CreatePipelineLayout(d->device, &create, NULL, &layout), "vkCreatePipelineLayout");
    while (n)
        d->DestroyDescriptorSetLayout(d->device, sets[--n], NULL);
    return layout;
}

static VkShaderModule load_module(const struct driver *d, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        fail("cannot read %s", path);
    long length = ftell(file);
    rewind(file);
    if (length < 20 || length % 4)
        fail("%s is not SPIR-V", path);
    uint32_t *words = allocate((size_t)length / 4, 4);
    if (fread(words, 4, (size_t)length / 4, file) != (size_t)length / 4 || words[0] != 0x07230203)
        fail("%s is not SPIR-V", path);
    fclose(file);

    VkShaderModule module;
    VkShaderModuleCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = (size_t)length,
        .pCode = words,
    };
    check(d->CreateShaderModule(d->device, &create, NULL, &module), "vkCreateShaderModule");
    free(words);
    return module;
}

static VkPipeline compile(const struct driver *d, const struct job *job, VkPipelineLayout layout)
{
    VkShaderModule module = load_module(d, job->path);
    VkSpecializationInfo spec = {
        .mapEntryCount = job->spec_count,
        .pMapEntries = job->spec_map,
        .dataSize = job->spec_count * sizeof *job->spec_data,
        .pData = job->spec_data,
    };
    VkComputePipelineCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR |
                 VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR,
        .stage = {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .stage = VK_SHADER_STAGE_COMPUTE_BIT,
            .module = module,
            .pName = "main",
            .pSpecializationInfo = &spec,
        },
        .layout = layout,
        .basePipelineIndex = -1,
    };
    VkPipeline pipeline;
    VkResult r = d->CreateComputePipelines(d->device, VK_NULL_HANDLE, 1, &create, NULL, &pipeline);
    if (r)
        fail("%s does not compile: VkResult %d", job->path, r);
    d->DestroyShaderModule(d->device, module, NULL);
    return pipeline;
}

static void print_value(const VkPipelineExecutableStatisticKHR *s)
{
    switch (s->format) {
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR:
        printf("%u", s->value.b32);
        break;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
        printf("%" PRId64, s->value.i64);
        break;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR:
        printf("%" PRIu64, s->value.u64);
        break;
    default:
        printf("%g", s->value.f64);
    }
}

static void print_statistics(const struct driver *d, const VkPipelineExecutableInfoKHR *which,
                             bool json)
{
    uint32_t n = 0;
    check(d->GetPipelineExecutableStatisticsKHR(d->device, which, &n, NULL), "statistics");
    VkPipelineExecutableStatisticKHR *stats = allocate(n, sizeof *stats);
    for (uint32_t i = 0; i < n; i++)
        stats[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
    check(d->GetPipelineExecutableStatisticsKHR(d->device, which, &n, stats), "statistics");
    for (uint32_t i = 0; i < n; i++) {
        printf(json ? "%s\"%s\": " : "%s%s ", i ? ", " : "", stats[i].name);
        print_value(&stats[i]);
    }
    free(stats);
}

static void print_counts(const struct driver *d, const struct job *job, const struct counts *c,
                         bool json)
{
    double per = job->samples ? job->samples : 1;
    double ms = driver_frame_ms(d, c->executed / per);
    if (json) {
        printf("\"executed\": %g, \"tmu_reads\": %g, \"tmu_writes\": %g, \"idle\": %g, "
               "\"multiplies\": %g, \"loops\": %u, \"samples\": %u, \"frame_ms\": %.4f",
               c->executed, c->reads, c->writes, c->idle, c->multiplies, c->loops, job->samples,
               ms);
        return;
    }
    printf("  executed %g, TMU reads %g (%g words), TMU writes %g, thread switches %g, "
           "idle ALUs %g, 32-bit multiplies %g, loops %u\n",
           c->executed, c->reads, c->read_words, c->writes, c->switches, c->idle, c->multiplies,
           c->loops);
    if (job->samples)
        printf("  a sample: instructions %.2f, TMU reads %.3f, TMU writes %.3f; "
               "issue bound of a 1080p frame %.2f ms\n",
               c->executed / per, c->reads / per, c->writes / per, ms);
}

void measure(const struct driver *d, const struct job *job, VkPipelineLayout layout,
             const struct output *output)
{
    VkPipelineExecutableInfoKHR which = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
        .pipeline = compile(d, job, layout),
    };
    if (output->json)
        printf("{\"name\": \"%s\", \"device\": \"%s\", \"driver\": \"%s\", \"statistics\": {",
               job->name, d->device_name, d->driver_info);
    else
        printf("%s: ", job->name);
    print_statistics(d, &which, output->json);
    printf(output->json ? "}, " : "\n");

    uint32_t n = 0;
    check(d->GetPipelineExecutableInternalRepresentationsKHR(d->device, &which, &n, NULL), "IR");
    VkPipelineExecutableInternalRepresentationKHR *ir = allocate(n, sizeof *ir);
    for (uint32_t i = 0; i < n; i++)
        ir[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR;
    check(d->GetPipelineExecutableInternalRepresentationsKHR(d->device, &which, &n, ir), "IR");
    for (uint32_t i = 0; i < n; i++)
        ir[i].pData = allocate(ir[i].dataSize + 1, 1);
    check(d->GetPipelineExecutableInternalRepresentationsKHR(d->device, &which, &n, ir), "IR");
    for (uint32_t i = 0; i < n; i++) {
        bool assembly = strstr(ir[i].name, "QPU") != NULL;
        if (assembly) {
            struct counts c = count_assembly(ir[i].pData, job->trips);
            print_counts(d, job, &c, output->json);
        }
        if (output->all_ir || (output->assembly && assembly))
            printf("---- %s ----\n%s\n", ir[i].name, (const char *)ir[i].pData);
        free(ir[i].pData);
    }
    free(ir);
    if (output->json)
        printf("}\n");
    fflush(stdout);
    d->DestroyPipeline(d->device, which.pipeline, NULL);
}
