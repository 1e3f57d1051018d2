/* Writes one JSON document, in order. With no file open all of it does nothing. */
#ifndef BENCH_JSON_H
#define BENCH_JSON_H

#include <stdbool.h>
#include <stdio.h>

#define JSON_PATH_SIZE 4096

struct json {
    FILE *file; /* null: not wanted */
    char path[JSON_PATH_SIZE], part[JSON_PATH_SIZE + 8];
    int depth;
    bool first; /* nothing yet at this level */
};

/* Opens the outermost object. The file appears under its name when json_close() succeeds. */
bool json_open(struct json *json, const char *path);
bool json_close(struct json *json);

/* `key` is null inside arrays. Not finite numbers are written as null. */
void json_object(struct json *json, const char *key);
void json_array(struct json *json, const char *key);
void json_end_object(struct json *json);
void json_end_array(struct json *json);
void json_string(struct json *json, const char *key, const char *value);
void json_number(struct json *json, const char *key, double value);
void json_bool(struct json *json, const char *key, bool value);

#endif
