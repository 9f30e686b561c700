// Mutants of FBX files through ufbx, with the options of crates/sinew_fbx, under the address and
// undefined-behaviour sanitisers: what the C code reads or writes out of bounds ends the run.
//
//   main COUNT SEED FILE...
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ufbx.h"

static uint64_t state;

static uint64_t next(uint64_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return below ? state % below : 0;
}

struct bytes {
    uint8_t *at;
    size_t len;
};

static struct bytes read_file(const char *path) {
    struct bytes file = {NULL, 0};
    FILE *in = fopen(path, "rb");
    if (!in) {
        perror(path);
        exit(2);
    }
    fseek(in, 0, SEEK_END);
    file.len = (size_t)ftell(in);
    rewind(in);
    file.at = malloc(file.len ? file.len : 1);
    if (fread(file.at, 1, file.len, in) != file.len) {
        perror(path);
        exit(2);
    }
    fclose(in);
    return file;
}

// Numbers that break sums and sizes, as text and as bytes.
static const char *const WORDS[] = {"-1", "0", "4294967295", "1e39", "nan", "\"\"", "{", "}", "*"};
static const uint32_t NUMBERS[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x00ffffff};

static void mutate(struct bytes *file) {
    if (!file->len) return;
    size_t at = next(file->len);
    size_t left = file->len - at;
    switch (next(7)) {
    case 0: file->at[at] ^= (uint8_t)(1u << next(8)); break;
    case 1: file->at[at] = (uint8_t)next(256); break;
    case 2: {
        uint32_t number = NUMBERS[next(sizeof NUMBERS / sizeof *NUMBERS)];
        if (left >= 4) memcpy(file->at + at, &number, 4);
        break;
    }
    case 3: {
        const char *word = WORDS[next(sizeof WORDS / sizeof *WORDS)];
        size_t len = strlen(word);
        if (left >= len) memcpy(file->at + at, word, len);
        break;
    }
    case 4: file->len = next(8) ? file->len : at; break;
    case 5: {
        size_t len = next(left < 4096 ? left : 4096);
        size_t from = next(file->len - len + 1);
        memmove(file->at + at, file->at + from, len);
        break;
    }
    default: {
        size_t len = next(left < 256 ? left : 256);
        memmove(file->at + at, file->at + at + len, left - len);
        file->len -= len;
    }
    }
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "main COUNT SEED FILE...\n");
        return 2;
    }
    unsigned long count = strtoul(argv[1], NULL, 10), accepted = 0;
    state = strtoull(argv[2], NULL, 10) * 2654435761u + 88172645463325252u;
    for (unsigned long i = 0; i < count; i++) {
        struct bytes file = read_file(argv[3 + i % (unsigned long)(argc - 3)]);
        size_t budget = 64 * file.len + (16u << 20);
        for (uint64_t n = 1 + next(6); n; n--) mutate(&file);
        ufbx_load_opts opts = {0};
        opts.temp_allocator.memory_limit = budget;
        opts.result_allocator.memory_limit = budget;
        opts.target_axes = ufbx_axes_right_handed_y_up;
        opts.target_unit_meters = 1.0;
        opts.space_conversion = UFBX_SPACE_CONVERSION_MODIFY_GEOMETRY;
        opts.geometry_transform_handling = UFBX_GEOMETRY_TRANSFORM_HANDLING_HELPER_NODES;
        opts.inherit_mode_handling = UFBX_INHERIT_MODE_HANDLING_HELPER_NODES;
        opts.ignore_missing_external_files = true;
        opts.normalize_normals = true;
        opts.use_blender_pbr_material = true;
        // A copy of its very length: a byte past the end is seen.
        uint8_t *exact = malloc(file.len ? file.len : 1);
        memcpy(exact, file.at, file.len);
        ufbx_scene *scene = ufbx_load_memory(exact, file.len, &opts, NULL);
        if (scene) {
            accepted++;
            for (size_t a = 0; a < scene->anim_stacks.count; a++) {
                ufbx_bake_opts bake = {0};
                bake.temp_allocator.memory_limit = budget;
                bake.result_allocator.memory_limit = budget;
                bake.max_keyframe_segments = 4096;
                ufbx_free_baked_anim(
                    ufbx_bake_anim(scene, scene->anim_stacks.data[a]->anim, &bake, NULL));
            }
        }
        ufbx_free_scene(scene);
        free(exact);
        free(file.at);
    }
    printf("%lu mutants of %d files, %lu accepted\n", count, argc - 3, accepted);
    return 0;
}
