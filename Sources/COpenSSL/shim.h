// OpenSSL 3 as Swift sees it. Macros that Swift cannot import become static inline functions here; there is no logic.
#pragma once
#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/opensslv.h>

// Certificates, keys, tickets and signed messages.
#include <openssl/cms.h>
#include <openssl/core_names.h>
#include <openssl/decoder.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

static inline long associated_bio_bytes(BIO *bio, char **bytes) {
    return BIO_get_mem_data(bio, bytes);
}

static inline void associated_free(void *block) {
    OPENSSL_free(block);
}

static inline void associated_clear_free(void *block, size_t count) {
    OPENSSL_secure_clear_free(block, count);
}

static inline void *associated_secret(size_t count) {
    return OPENSSL_secure_malloc(count);
}

// RFC 4514, with UTF-8 as it is instead of \C3\A9.
static inline int associated_print_name(BIO *bio, const X509_NAME *name) {
    return X509_NAME_print_ex(bio, name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
}

static inline int associated_keypair(void) {
    return EVP_PKEY_KEYPAIR;
}

static inline EVP_PKEY *associated_generate_p256(void) {
    return EVP_EC_gen("P-256");
}

static inline int associated_new_context_index(CRYPTO_EX_free *freed) {
    return SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, freed);
}

// An OSSL_PARAM list points into its arguments, which is awkward to promise from Swift.
static inline int associated_set_hmac(EVP_MAC_CTX *context, const unsigned char *key, size_t count) {
    char digest[] = "SHA256";
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, (void *)key, count),
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_end(),
    };
    return EVP_MAC_CTX_set_params(context, parameters);
}
