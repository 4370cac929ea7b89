// What the load client needs of OpenSSL 3; macros as functions, no logic.
#pragma once
#include <openssl/err.h>
#include <openssl/ssl.h>

static inline int load_set_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}

static inline int load_set_tls13(SSL_CTX *context) {
    return (int)SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
}

// Sleeps end when they are to, not up to fifty microseconds later (prctl(2)).
#include <sys/prctl.h>
static inline void load_sleep_exactly(void) { prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL); }
