// Opens SQLite's library and looks up its functions, by the names that the header gives them.
#include "CSQLite.h"
#include <dlfcn.h>
#include <stddef.h>

#define FUNCTION(name) {"sqlite3_" #name, offsetof(struct associated_sqlite, name)}

static const struct {
    const char *name;
    size_t place;
} table[] = {
    FUNCTION(libversion_number), FUNCTION(open_v2), FUNCTION(close_v2), FUNCTION(busy_timeout),
    FUNCTION(exec), FUNCTION(extended_errcode), FUNCTION(errmsg), FUNCTION(system_errno), FUNCTION(get_autocommit),
    FUNCTION(changes), FUNCTION(prepare_v2), FUNCTION(finalize), FUNCTION(step), FUNCTION(reset),
    FUNCTION(stmt_readonly), FUNCTION(bind_parameter_count), FUNCTION(bind_null), FUNCTION(bind_int64),
    FUNCTION(bind_double), FUNCTION(bind_text), FUNCTION(bind_blob), FUNCTION(bind_zeroblob), FUNCTION(column_count),
    FUNCTION(column_type), FUNCTION(column_int64), FUNCTION(column_double), FUNCTION(column_blob),
    FUNCTION(column_bytes),
};

_Static_assert(sizeof(struct associated_sqlite) == sizeof table / sizeof *table * sizeof(void *),
               "the table lacks a function");

const char *associated_sqlite_load(const char *library, struct associated_sqlite *functions) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return dlerror();
    for (size_t index = 0; index < sizeof table / sizeof *table; index++) {
        void *function = dlsym(handle, table[index].name);
        if (!function) return dlerror();
        *(void **)((char *)functions + table[index].place) = function;
    }
    return NULL;
}
