#ifndef OUTLAY_CLINUX_SHIM_H
#define OUTLAY_CLINUX_SHIM_H

/* Headers that the Glibc module leaves out: epoll(7), eventfd(2), signalfd(2). */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>

#include <malloc.h>
#include <pthread.h>
#include <sys/socket.h>

/* Declared by glibc only under _GNU_SOURCE, which would break the Glibc module. */
static inline int outlay_accept(int listener) {
  extern int accept4(int, struct sockaddr *, socklen_t *, int);
  return accept4(listener, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

static inline void outlay_map_alone_from(int bytes) { mallopt(M_MMAP_THRESHOLD, bytes); }

static inline int outlay_name_thread(const char *name) {
  extern int pthread_setname_np(pthread_t, const char *);
  return pthread_setname_np(pthread_self(), name);
}

#endif
