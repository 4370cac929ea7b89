// The part of libpq's interface that the package uses. The library is opened when the first database is, so neither
// building nor running the server needs it. DatabaseTests compares the table and the numbers with the real libpq-fe.h.
#pragma once

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;

#define CONNECTION_OK 0
#define CONNECTION_BAD 1

#define PGRES_POLLING_FAILED 0
#define PGRES_POLLING_READING 1
#define PGRES_POLLING_WRITING 2
#define PGRES_POLLING_OK 3

#define PGRES_COMMAND_OK 1
#define PGRES_TUPLES_OK 2

#define PQTRANS_IDLE 0

#define PQERRORS_VERBOSE 2

#define PG_DIAG_SQLSTATE 'C'
#define PG_DIAG_MESSAGE_PRIMARY 'M'

typedef void (*associated_notice_processor)(void *, const char *);

// Functions of libpq-fe.h without their prefix.
struct associated_postgresql {
    int (*libVersion)(void);
    PGconn *(*connectStartParams)(const char *const *keywords, const char *const *values, int expand);
    unsigned (*connectPoll)(PGconn *connection);
    void (*finish)(PGconn *connection);
    unsigned (*status)(const PGconn *connection);
    unsigned (*transactionStatus)(const PGconn *connection);
    int (*serverVersion)(const PGconn *connection);
    int (*socket)(const PGconn *connection);
    char *(*host)(const PGconn *connection);
    char *(*port)(const PGconn *connection);
    char *(*errorMessage)(const PGconn *connection);
    unsigned (*setErrorVerbosity)(PGconn *connection, unsigned verbosity);
    associated_notice_processor (*setNoticeProcessor)(
        PGconn *connection, associated_notice_processor processor, void *argument);
    int (*sendQuery)(PGconn *connection, const char *sql);
    int (*sendQueryParams)(
        PGconn *connection, const char *sql, int count, const unsigned *types, const char *const *values,
        const int *lengths, const int *formats, int result_format);
    int (*consumeInput)(PGconn *connection);
    int (*isBusy)(PGconn *connection);
    PGresult *(*getResult)(PGconn *connection);
    unsigned (*resultStatus)(const PGresult *result);
    char *(*resultErrorField)(const PGresult *result, int field);
    void (*clear)(PGresult *result);
    int (*ntuples)(const PGresult *result);
    int (*nfields)(const PGresult *result);
    unsigned (*ftype)(const PGresult *result, int column);
    int (*getisnull)(const PGresult *result, int row, int column);
    int (*getlength)(const PGresult *result, int row, int column);
    char *(*getvalue)(const PGresult *result, int row, int column);
    char *(*cmdTuples)(PGresult *result);
};

// Opens the library and looks up its functions; it stays open until the process ends. Returns what dlerror() says if that is not
// possible, and otherwise NULL.
const char *associated_postgresql_load(const char *library, struct associated_postgresql *functions);
