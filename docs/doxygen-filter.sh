#!/bin/sh
# The headers' comments are plain C. Doxygen wants marks: one for the file, one for what a comment
# stands before, one for what it stands behind.
sed -E \
    -e '1s@^/\* @/** \\file\n * @' \
    -e 's@^( *)/\* @\1/** @' \
    -e 's@([;,{] *)/\* @\1/**< @' \
    "$1"
