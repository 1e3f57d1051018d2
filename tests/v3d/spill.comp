/* A shader that cannot stay in registers: its array is indexed by data. It shows that the suite
 * would notice. */
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Words
{
    uint words[];
};

void main()
{
    uint many[64];
    uint first = gl_GlobalInvocationID.x * 64u;
    for (uint i = 0u; i < 64u; i++)
        many[words[first + i] & 63u] = i;
    words[first] = many[words[first + 1u] & 63u];
}
