// The part of SQLite's interface that the package uses. The library is opened when the first database is, so neither
// building nor running the server needs it. DatabaseTests compares the table and the numbers with the real sqlite3.h.
#pragma once

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;

#define SQLITE_OK 0
#define SQLITE_PERM 3
#define SQLITE_BUSY 5
#define SQLITE_LOCKED 6
#define SQLITE_NOMEM 7
#define SQLITE_READONLY 8
#define SQLITE_IOERR 10
#define SQLITE_CORRUPT 11
#define SQLITE_FULL 13
#define SQLITE_CANTOPEN 14
#define SQLITE_PROTOCOL 15
#define SQLITE_CONSTRAINT 19
#define SQLITE_NOTADB 26
#define SQLITE_ROW 100
#define SQLITE_DONE 101

#define SQLITE_INTEGER 1
#define SQLITE_FLOAT 2
#define SQLITE_TEXT 3
#define SQLITE_BLOB 4

#define SQLITE_OPEN_READWRITE 0x00000002
#define SQLITE_OPEN_NOMUTEX 0x00008000

typedef void (*associated_sqlite_destructor)(void *);

// Functions of sqlite3.h without their prefix.
struct associated_sqlite {
    int (*libversion_number)(void);
    int (*open_v2)(const char *path, sqlite3 **connection, int flags, const char *vfs);
    int (*close_v2)(sqlite3 *connection);
    int (*busy_timeout)(sqlite3 *connection, int milliseconds);
    int (*exec)(
        sqlite3 *connection, const char *sql, int (*callback)(void *, int, char **, char **), void *argument, char **message);
    int (*extended_errcode)(sqlite3 *connection);
    const char *(*errmsg)(sqlite3 *connection);
    int (*system_errno)(sqlite3 *connection);
    int (*get_autocommit)(sqlite3 *connection);
    int (*changes)(sqlite3 *connection);
    int (*prepare_v2)(
        sqlite3 *connection, const char *sql, int count, sqlite3_stmt **statement, const char **rest);
    int (*finalize)(sqlite3_stmt *statement);
    int (*step)(sqlite3_stmt *statement);
    int (*reset)(sqlite3_stmt *statement);
    int (*stmt_readonly)(sqlite3_stmt *statement);
    int (*bind_parameter_count)(sqlite3_stmt *statement);
    int (*bind_null)(sqlite3_stmt *statement, int index);
    int (*bind_int64)(sqlite3_stmt *statement, int index, long long value);
    int (*bind_double)(sqlite3_stmt *statement, int index, double value);
    int (*bind_text)(
        sqlite3_stmt *statement, int index, const char *text, int count, associated_sqlite_destructor destructor);
    int (*bind_blob)(
        sqlite3_stmt *statement, int index, const void *bytes, int count, associated_sqlite_destructor destructor);
    int (*bind_zeroblob)(sqlite3_stmt *statement, int index, int count);
    int (*column_count)(sqlite3_stmt *statement);
    int (*column_type)(sqlite3_stmt *statement, int index);
    long long (*column_int64)(sqlite3_stmt *statement, int index);
    double (*column_double)(sqlite3_stmt *statement, int index);
    const void *(*column_blob)(sqlite3_stmt *statement, int index);
    int (*column_bytes)(sqlite3_stmt *statement, int index);
};

// Opens the library and looks up its functions; it stays open until the process ends. Returns what dlerror() says if that is not
// possible, and otherwise NULL.
const char *associated_sqlite_load(const char *library, struct associated_sqlite *functions);

// SQLITE_TRANSIENT: SQLite copies the bytes before the call returns.
static inline associated_sqlite_destructor associated_sqlite_transient(void) {
    return (associated_sqlite_destructor)-1;
}
