#ifndef OUTLAY_CCURL_SHIM_H
#define OUTLAY_CCURL_SHIM_H

/* The type checks are macros around the variadic functions that are wrapped below. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

/* curl_easy_setopt and curl_easy_getinfo are variadic, which Swift can't call. */
static inline CURLcode ccurl_set_number(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

/* Text is copied by libcurl, except for CURLOPT_POSTFIELDS. */
static inline CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_list(
  CURL *handle, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}

typedef size_t (*ccurl_receiver)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode ccurl_set_receiver(
  CURL *handle, CURLoption option, ccurl_receiver receiver) {
  return curl_easy_setopt(handle, option, receiver);
}

static inline CURLcode ccurl_get_number(CURL *handle, CURLINFO info, long *value) {
  return curl_easy_getinfo(handle, info, value);
}

#endif
