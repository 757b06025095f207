#ifndef OUTLAY_CSQLITE_SHIM_H
#define OUTLAY_CSQLITE_SHIM_H

#include <sqlite3.h>

/* sqlite3_db_config is variadic, which Swift can't call. */
static inline int csqlite_db_config(sqlite3 *db, int option, int value) {
  return sqlite3_db_config(db, option, value, (int *)0);
}

/* SQLITE_TRANSIENT is a cast in a macro, which Swift can't see. */
static inline int csqlite_bind_blob(sqlite3_stmt *s, int index, const void *bytes, int count) {
  return sqlite3_bind_blob(s, index, bytes, count, SQLITE_TRANSIENT);
}

static inline int csqlite_bind_text(sqlite3_stmt *s, int index, const char *bytes, int count) {
  return sqlite3_bind_text(s, index, bytes, count, SQLITE_TRANSIENT);
}

#endif
