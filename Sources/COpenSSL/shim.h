// OpenSSL 3 as Swift sees it. Macros that Swift cannot import become static inline functions here; there is no logic.
#pragma once
#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/opensslv.h>
