#ifndef OUTLAY_CCRYPTO_SHIM_H
#define OUTLAY_CCRYPTO_SHIM_H

/* Only what OpenSSL 3 recommends is visible. */
#define OPENSSL_API_COMPAT 30000
#define OPENSSL_NO_DEPRECATED

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

/* The functions of typed stacks are macros, which Swift can't see. */
static inline STACK_OF(X509) *ccrypto_certificates_new(void) { return sk_X509_new_null(); }

static inline int ccrypto_certificates_push(STACK_OF(X509) *stack, X509 *certificate) {
  return sk_X509_push(stack, certificate);
}

static inline int ccrypto_certificates_count(const STACK_OF(X509) *stack) {
  return sk_X509_num(stack);
}

static inline X509 *ccrypto_certificates_at(const STACK_OF(X509) *stack, int index) {
  return sk_X509_value(stack, index);
}

/* A macro around a function of many kinds of arguments. */
static inline EVP_PKEY *ccrypto_new_key(const char *curve) { return EVP_EC_gen(curve); }

/* Frees the stack, not the certificates. */
static inline void ccrypto_certificates_free(STACK_OF(X509) *stack) { sk_X509_free(stack); }

#endif
