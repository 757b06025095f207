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

/* SO_PEERCRED's user, or -1; struct ucred needs _GNU_SOURCE as well. */
static inline long outlay_peer_user(int descriptor) {
  struct { pid_t process; uid_t user; gid_t group; } peer;
  socklen_t length = sizeof peer;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return -1;
  return (long)peer.user;
}

static inline void outlay_map_alone_from(int bytes) { mallopt(M_MMAP_THRESHOLD, bytes); }

static inline int outlay_name_thread(const char *name) {
  extern int pthread_setname_np(pthread_t, const char *);
  return pthread_setname_np(pthread_self(), name);
}

#endif
