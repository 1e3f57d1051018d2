#!/bin/sh
# test_info.sh QPEL_INFO: what qpel-info says of kernels and pictures, by recipes that leave no
# choice. With a device: of the GPU, too.
info=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset QPEL_BACKEND QPEL_LOG
export QPEL_DEVICE=software QPEL_RECIPE="$work/recipe"
fault()
{
    echo "# $*"
    cat "$work/out"
    exit 1
}

# recipe CPU GPU: what a block costs on either, in nanoseconds.
recipe()
{
    {
        echo 'qpel-recipe 1'
        for backend in cpu gpu; do
            cost=$1
            shift
            echo "device $backend \"\""
            echo 'source measured "a test"'
            echo "picture fixed 0 0 block $cost $cost sample 0 0 axis 0 0 chroma 0 0 weigh 0 0"
            for family in copy h v diagonal centre; do
                echo "cost put 8 $family fixed 0 0 block $cost $cost byte 0 0"
            done
        done
    } >"$work/recipe"
    "$info" >"$work/out" 2>&1 || fault "qpel-info fails"
}

# expect BACKEND P B: that takes pictures, and they are predicted to take so many microseconds.
expect()
{
    grep -q "^  P, 13056 blocks: $1\$" "$work/out" || fault "P is not for the $1"
    grep -q "^  B, 13056 blocks, half of them of two references: $1\$" "$work/out" ||
        fault "B is not for the $1"
    grep -q "^  mc22 .*32640: $1\$" "$work/out" || fault "mc22 is not for the $1"
    [ -z "$2" ] || [ "$(grep -c "cpu $2 us\|cpu $3 us" "$work/out")" -ge 2 ] ||
        fault "not $2 and $3 us"
}

recipe 1000 2000
expect cpu
if grep -q '^GPU: .*llvmpipe\|^    taken: ' "$work/out"; then
    # A list of a block is 1 us; a B picture has half as many again.
    expect cpu 13056.0 19584.0
    recipe 1000 500
    expect gpu 13056.0 19584.0
else
    echo "# no software device: the CPU alone"
fi
# And with no device at all.
QPEL_BACKEND=cpu "$info" >"$work/out" 2>&1 || fault "qpel-info fails without a GPU"
expect cpu
