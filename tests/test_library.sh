#!/bin/sh
# test_library.sh LIBRARY ABI_VERSION HEADER...: the shared library as the linker and the loader see it.
library=$1
abi=$2
shift 2
failed=0

fault()
{
    echo "# $*"
    failed=1
}

for tool in nm objdump readelf; do
    command -v $tool >/dev/null || { echo "# skipped: no $tool"; exit 77; }
done

# What the headers declare is exported, and nothing else.
declared=$(sed 's,^#.*,,' "$@" | tr '\n' ' ' | sed 's,/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/, ,g' |
    tr ';{}' '\n' | sed -n 's/.*QPEL_API [^(]*\b\(qpel_[a-z0-9_]*\) *(.*/\1/p' | sort)
exported=$(nm -D --defined-only "$library" | awk '{ print $NF }' | sort)
[ "$(echo "$declared" | wc -l)" -gt 20 ] || fault "the headers declare too little:" $declared
[ "$declared" = "$exported" ] ||
    fault "declared or exported, not both:" $(printf '%s\n' $declared $exported | sort | uniq -u)

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
