#!/bin/sh
# test_library.sh LIBRARY ABI_VERSION: the shared library as the linker and the loader see it.
library=$1
abi=$2
failed=0

fault()
{
    echo "# $*"
    failed=1
}

for tool in nm objdump readelf; do
    command -v $tool >/dev/null || { echo "# skipped: no $tool"; exit 77; }
done

# Nothing but what the headers declare is exported.
others=$(nm -D --defined-only "$library" | awk '{ print $NF }' | grep -v '^qpel_[a-z]' || true)
[ -z "$others" ] || fault "exported:" $others
count=$(nm -D --defined-only "$library" | grep -c ' T qpel_')
[ "$count" -gt 20 ] || fault "only $count functions are exported"

soname=$(readelf -d "$library" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
[ "$soname" = "libqpel.so.$abi" ] || fault "the soname is $soname"

# libc alone is needed at run time; libvulkan is opened on need.
needed=$(readelf -d "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p')
for name in $needed; do
    case $name in
    libc.* | libm.* | libdl.* | libpthread.* | libgcc_s.* | ld-linux*) ;;
    *) fault "needs $name" ;;
    esac
done
readelf -dW "$library" | grep -q TEXTREL && fault "text relocations"
readelf -lW "$library" | grep GNU_STACK | grep -q 'RWE' && fault "an executable stack"

# No writable globals. volk has some, which src/vulkan/loader.c contains behind its mutex; the rest
# is the compiler's own.
writable=$(objdump -t "$library" | awk '/ O (\.data|\.bss|\.tbss|\.tdata)\t/ { print $NF }' |
    grep -Ev '^(qpel_volk_|loaded(Instance|Device|Module)$|volk_mutex$)' |
    grep -Ev '^(completed\.[0-9]+|__dso_handle|__TMC_END__)$' || true)
[ -z "$writable" ] || fault "writable:" $writable

exit $failed
