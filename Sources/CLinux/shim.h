#ifndef OUTLAY_CLINUX_SHIM_H
#define OUTLAY_CLINUX_SHIM_H

/* Headers that the Glibc module leaves out: epoll(7), eventfd(2), signalfd(2). */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>

#endif
