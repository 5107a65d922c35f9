#!/bin/sh
# Compiles an interpreter into /work/out: runs in the builder image, without a network, as a plain user.
# usage: cpython.sh VERSION TAG, with the source archive at /work/source/archive
set -eu
version=$1
prefix=/opt/python/$2
root=/work/stage
home=$root$prefix
export SOURCE_DATE_EPOCH=1700000000

mkdir -p /work/source/tree
tar --extract --file=/work/source/archive --directory=/work/source/tree --strip-components=1
cd /work/source/tree

# No profile-guided optimisation: it takes ten times as long and makes other bytes each time.  CFLAGS_NODIST
# is for the interpreter alone: it only runs builds; OPT is what sysconfig tells those who compile extensions.
./configure --quiet --prefix="$prefix" --disable-test-modules --without-static-libpython \
    OPT='-DNDEBUG -O2 -fwrapv -Wall' CFLAGS_NODIST='-O1 -w'
make --silent --jobs="$(nproc)"
# The byte code of the whole library at three levels would take longer than the installation; see below.
make --silent altinstall DESTDIR="$root" COMPILEALL_OPTS=--help >/work/install.log

cd "$home/bin"
for name in python python3; do ln -s "python$version" "$name"; done
# pip's scripts name the interpreter that installed them, the one in the source tree.
sed --in-place "1s|.*|#!$prefix/bin/python$version|" pip*
ln -s "pip$version" pip
strip "python$version"
find ../lib -name '*.so' -exec strip --strip-unneeded {} +

cd "../lib/python$version"
rm -rf test idlelib tkinter turtledemo turtle.py lib2to3/tests unittest/test distutils/tests
find . -name __pycache__ -prune -exec rm -rf {} +
# Unchecked: the layer's files all get one time, and the image is read-only.  -B: what compileall itself imports
# would be written with a time otherwise, and then be left alone as if it were up to date.
"$home/bin/python$version" -B -m compileall -q -f -j 0 --invalidation-mode unchecked-hash \
    -s "$root" -x '/(bundled|config-[^/]*)/' "$home/lib/python$version"
mv "$home" /work/out
