/* libqpel: the version, and the only place where it is written.
 * The build takes the shared library's soname and qpel.pc's version from here. */
#ifndef QPEL_VERSION_H
#define QPEL_VERSION_H

/* The API's version, by semantic versioning: MAJOR changes when a caller must
 * change, MINOR when something is added, PATCH when neither. While MAJOR is 0,
 * MINOR may break too; CHANGELOG.md says so when it does. */
#define QPEL_VERSION_MAJOR 0
#define QPEL_VERSION_MINOR 1
#define QPEL_VERSION_PATCH 0

/* The ABI's number, libqpel.so.N: raised by any change that an already built
 * program would notice. */
#define QPEL_ABI_VERSION 0

#define QPEL_STRINGIFY_(x) #x
#define QPEL_STRINGIFY(x)  QPEL_STRINGIFY_(x)

/* "MAJOR.MINOR.PATCH" of the headers; qpel_version() tells the library's. */
#define QPEL_VERSION_STRING                                                                        \
    QPEL_STRINGIFY(QPEL_VERSION_MAJOR)                                                             \
    "." QPEL_STRINGIFY(QPEL_VERSION_MINOR) "." QPEL_STRINGIFY(QPEL_VERSION_PATCH)

#endif
