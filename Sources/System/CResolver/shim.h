// The resolver of the C library as Swift sees it. Macros that Swift cannot import, and the fields of a state that has the
// name of a function too, become static inline functions here; there is no logic.
#pragma once
#include <arpa/nameser.h>
#include <netinet/in.h>
#include <resolv.h>
#include <stdlib.h>

/// A state with the settings of /etc/resolv.conf. NULL when there is no memory for one.
static inline void *associated_resolver_open(void) {
    struct __res_state *state = (struct __res_state *)calloc(1, sizeof *state);
    if (state != NULL && res_ninit(state) != 0) {
        free(state);
        state = NULL;
    }
    return state;
}

static inline void associated_resolver_close(void *state) {
    res_nclose((struct __res_state *)state);
    free(state);
}

static inline int associated_resolver_server_count(const void *state) {
    return ((const struct __res_state *)state)->nscount;
}

/// The address of a name server. Those of IPv6 lie elsewhere, and their entry in the list has no family.
static inline const void *associated_resolver_server(const void *state, int index) {
    const struct __res_state *resolver = (const struct __res_state *)state;
    if (resolver->nsaddr_list[index].sin_family != 0) return &resolver->nsaddr_list[index];
    return resolver->_u._ext.nsaddrs[index];
}

static inline int associated_resolver_query(
    void *state, const char *name, int type, unsigned char *query, int size) {
    return res_nmkquery((struct __res_state *)state, ns_o_query, name, ns_c_in, type, NULL, 0, NULL, query, size);
}
