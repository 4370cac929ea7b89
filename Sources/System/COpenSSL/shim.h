// OpenSSL 3 for Swift. Macros that Swift cannot import become static inline functions here; there is no logic.
#pragma once
#include <dlfcn.h>
#include <stdbool.h>
#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/opensslv.h>

// Certificates, keys, tickets and signed messages.
#include <openssl/cms.h>
#include <openssl/core_names.h>
#include <openssl/decoder.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

static inline long associated_bio_bytes(BIO *bio, char **bytes) {
    return BIO_get_mem_data(bio, bytes);
}

static inline void associated_clear_free(void *block, size_t count) {
    OPENSSL_secure_clear_free(block, count);
}

static inline void *associated_secret(size_t count) {
    return OPENSSL_secure_malloc(count);
}

// RFC 4514, but UTF-8 is not escaped as \C3\A9.
static inline int associated_print_name(BIO *bio, const X509_NAME *name) {
    return X509_NAME_print_ex(bio, name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
}

static inline int associated_keypair(void) {
    return EVP_PKEY_KEYPAIR;
}

static inline EVP_PKEY *associated_generate_p256(void) {
    return EVP_EC_gen("P-256");
}

// An OSSL_PARAM list points into its arguments, which is hard to guarantee in Swift.
static inline int associated_set_hmac(EVP_MAC_CTX *context, const unsigned char *key, size_t count) {
    char digest[] = "SHA256";
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, (void *)key, count),
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_end(),
    };
    return EVP_MAC_CTX_set_params(context, parameters);
}

// Contexts and sessions.
static inline int associated_set_minimum_tls12(SSL_CTX *context) {
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

static inline int associated_set_groups(SSL_CTX *context, const char *list) {
    return SSL_CTX_set1_groups_list(context, list);
}

static inline int associated_set_signatures(SSL_CTX *context, const char *list) {
    return SSL_CTX_set1_sigalgs_list(context, list);
}

static inline void associated_set_modes(SSL_CTX *context) {
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

static inline uint64_t associated_options(void) {
    return SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION;
}

static inline void associated_set_name_callback(SSL_CTX *context, int (*callback)(SSL *, int *, void *), void *argument) {
    SSL_CTX_set_tlsext_servername_callback(context, callback);
    SSL_CTX_set_tlsext_servername_arg(context, argument);
}

static inline void associated_want_more(BIO *bio) {
    BIO_set_retry_read(bio);
}

static inline void associated_want_nothing(BIO *bio) {
    BIO_clear_retry_flags(bio);
}

static inline int associated_set_minimum_tls10(SSL_CTX *context) {
    return SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
}

static inline long associated_set_server_name(SSL *ssl, const char *name) {
    return SSL_set_tlsext_host_name(ssl, name);
}

// The loader finds the functions of OpenSSL when they are first called, so a program that is linked without the library can still
// open it before.
static inline bool associated_open_openssl(void) {
    return dlsym(RTLD_DEFAULT, "OPENSSL_init_crypto") || dlopen("libssl.so.3", RTLD_NOW | RTLD_GLOBAL);
}
