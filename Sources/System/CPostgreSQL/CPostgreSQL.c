// Opens libpq and looks up its functions, by the names that the header gives them.
#include "CPostgreSQL.h"
#include <dlfcn.h>
#include <stddef.h>

#define FUNCTION(name) {"PQ" #name, offsetof(struct associated_postgresql, name)}

static const struct {
    const char *name;
    size_t place;
} table[] = {
    FUNCTION(libVersion), FUNCTION(connectStartParams), FUNCTION(connectPoll), FUNCTION(finish), FUNCTION(status),
    FUNCTION(transactionStatus), FUNCTION(serverVersion), FUNCTION(socket), FUNCTION(host), FUNCTION(port),
    FUNCTION(errorMessage), FUNCTION(setErrorVerbosity), FUNCTION(setNoticeProcessor), FUNCTION(sendQuery),
    FUNCTION(sendQueryParams), FUNCTION(consumeInput), FUNCTION(isBusy), FUNCTION(getResult), FUNCTION(resultStatus),
    FUNCTION(resultErrorField), FUNCTION(clear), FUNCTION(ntuples), FUNCTION(nfields), FUNCTION(ftype),
    FUNCTION(getisnull), FUNCTION(getlength), FUNCTION(getvalue), FUNCTION(cmdTuples),
};

_Static_assert(sizeof(struct associated_postgresql) == sizeof table / sizeof *table * sizeof(void *),
               "the table lacks a function");

const char *associated_postgresql_load(const char *library, struct associated_postgresql *functions) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return dlerror();
    for (size_t index = 0; index < sizeof table / sizeof *table; index++) {
        void *function = dlsym(handle, table[index].name);
        if (!function) return dlerror();
        *(void **)((char *)functions + table[index].place) = function;
    }
    return NULL;
}
