/* The baseline that the library's shaders are measured against: mc22 (8.4.2.2.1, sample j) as it is
 * mostly written first. A work group a block, a lane a sample, a load a byte. */
#version 450
#extension GL_EXT_shader_8bit_storage : require

layout(local_size_x = 8, local_size_y = 8) in;

layout(std430, set = 0, binding = 0) restrict readonly buffer Blocks
{
    uvec2 blocks[]; /* dst, src: bytes */
};
layout(std430, set = 0, binding = 1) restrict readonly buffer Src
{
    uint8_t src[];
};
layout(std430, set = 0, binding = 2) restrict writeonly buffer Dst
{
    uint8_t dst[];
};
layout(push_constant) uniform Push
{
    uint stride;
};

int sample_at(uint at)
{
    return int(src[at]);
}

int tap(int a, int b, int c, int d, int e, int f)
{
    return a - 5 * b + 20 * c + 20 * d - 5 * e + f;
}

void main()
{
    uvec2 block = blocks[gl_WorkGroupID.x];
    uint place = gl_LocalInvocationID.y * stride + gl_LocalInvocationID.x;
    int rows[6];

    for (int y = 0; y < 6; y++) {
        uint at = block.y + place + uint(y - 2) * stride;

        rows[y] = tap(sample_at(at - 2), sample_at(at - 1), sample_at(at), sample_at(at + 1),
                      sample_at(at + 2), sample_at(at + 3));
    }
    int sum = tap(rows[0], rows[1], rows[2], rows[3], rows[4], rows[5]);
    dst[block.x + place] = uint8_t(clamp((sum + 512) >> 10, 0, 255));
}
