// A wall clock that is CLOCK_AHEAD seconds ahead of the machine's (or behind, if negative), for
// every process that preloads this: `Config/setup test --at`.
//
// libfaketime does the same, but a process of Foundation under it never hears of its children's
// ends. Only the wall clock is another here; deadlines that are told by it are told back to the
// kernel by its own.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>

static time_t ahead(void) {
  static time_t seconds;
  static int is_known;
  if (!__atomic_load_n(&is_known, __ATOMIC_ACQUIRE)) {
    const char *text = getenv("CLOCK_AHEAD");
    seconds = text ? atoll(text) : 0;
    __atomic_store_n(&is_known, 1, __ATOMIC_RELEASE);
  }
  return seconds;
}

// The library's own function of that name.
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int is_wall_clock(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
}

int clock_gettime(clockid_t clock, struct timespec *out) {
  static __typeof__(&clock_gettime) real;
  if (!real) real = REAL(clock_gettime);
  int result = real(clock, out);
  if (result == 0 && is_wall_clock(clock)) out->tv_sec += ahead();
  return result;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone) {
  static __typeof__(&gettimeofday) real;
  if (!real) real = REAL(gettimeofday);
  int result = real(out, zone);
  if (result == 0) out->tv_sec += ahead();
  return result;
}

time_t time(time_t *out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}

// A deadline as the kernel's clock has it. One by the monotonic clock counts from the machine's
// start, a smaller number than any wall clock has shown since 2001, and is left as it is.
static struct timespec kernels(const struct timespec *deadline) {
  struct timespec own = *deadline;
  if (own.tv_sec > 1000000000) own.tv_sec -= ahead();
  return own;
}

int pthread_cond_timedwait(
    pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
    const struct timespec *restrict deadline) {
  static __typeof__(&pthread_cond_timedwait) real;
  // Without a version an old one might be found, whose conditions are others.
  if (!real) real = (__typeof__(real))dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
  if (!real) real = REAL(pthread_cond_timedwait);
  struct timespec own = kernels(deadline);
  return real(condition, mutex, &own);
}

int pthread_mutex_timedlock(
    pthread_mutex_t *restrict mutex, const struct timespec *restrict deadline) {
  struct timespec own = kernels(deadline);
  return REAL(pthread_mutex_timedlock)(mutex, &own);
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict deadline) {
  struct timespec own = kernels(deadline);
  return REAL(sem_timedwait)(semaphore, &own);
}

int timerfd_settime(
    int descriptor, int flags, const struct itimerspec *wanted, struct itimerspec *old) {
  struct itimerspec own = *wanted;
  if (flags & TFD_TIMER_ABSTIME) own.it_value = kernels(&own.it_value);
  return REAL(timerfd_settime)(descriptor, flags, &own, old);
}
