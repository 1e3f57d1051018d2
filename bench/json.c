#include "json.h"

#include <math.h>

bool json_open(struct json *j, const char *path)
{
    *j = (struct json){ .first = true };
    if (snprintf(j->path, sizeof j->path, "%s", path) >= (int)sizeof j->path)
        return false;
    snprintf(j->part, sizeof j->part, "%s.part", path);
    j->file = fopen(j->part, "w");
    if (!j->file)
        return false;
    json_object(j, NULL);
    return true;
}

bool json_close(struct json *j)
{
    bool ok;

    if (!j->file)
        return true;
    json_end_object(j);
    fputc('\n', j->file);
    ok = !ferror(j->file);
    ok &= !fclose(j->file);
    j->file = NULL;
    if (ok)
        return !rename(j->part, j->path);
    remove(j->part);
    return false;
}

static void quoted(FILE *f, const char *text)
{
    fputc('"', f);
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;

        if (c == '"' || c == '\\')
            fprintf(f, "\\%c", c);
        else if (c < 0x20)
            fprintf(f, "\\u%04x", c);
        else
            fputc(c, f);
    }
    fputc('"', f);
}

/* What stands before any value. False: nothing is written. */
static bool lead(struct json *j, const char *key)
{
    if (!j->file)
        return false;
    if (j->depth)
        fprintf(j->file, "%s\n%*s", j->first ? "" : ",", 1 * j->depth, "");
    j->first = false;
    if (key) {
        quoted(j->file, key);
        fputs(": ", j->file);
    }
    return true;
}

static void opened(struct json *j, const char *key, char bracket)
{
    if (!lead(j, key))
        return;
    fputc(bracket, j->file);
    j->depth++;
    j->first = true;
}

static void closed(struct json *j, char bracket)
{
    if (!j->file)
        return;
    j->depth--;
    if (!j->first)
        fprintf(j->file, "\n%*s", j->depth, "");
    fputc(bracket, j->file);
    j->first = false;
}

void json_object(struct json *j, const char *key)
{
    opened(j, key, '{');
}

void json_array(struct json *j, const char *key)
{
    opened(j, key, '[');
}

void json_end_object(struct json *j)
{
    closed(j, '}');
}

void json_end_array(struct json *j)
{
    closed(j, ']');
}

void json_string(struct json *j, const char *key, const char *value)
{
    if (lead(j, key))
        quoted(j->file, value);
}

void json_number(struct json *j, const char *key, double value)
{
    if (!lead(j, key))
        return;
    if (isfinite(value))
        fprintf(j->file, "%.9g", value);
    else
        fputs("null", j->file);
}

void json_bool(struct json *j, const char *key, bool value)
{
    if (lead(j, key))
        fputs(value ? "true" : "false", j->file);
}
