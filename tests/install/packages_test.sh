#!/bin/bash
# packages_test.sh BUILD: packs what was built as .deb and .tar.gz; both hold what cmake --install
# installs, the .deb names the libraries that it needs and can be installed by dpkg. 77: no dpkg.
set -eu
build=$1
for tool in dpkg dpkg-deb dpkg-shlibdeps cpack; do
  command -v $tool >/dev/null || { echo "there is no $tool"; exit 77; }
done
[[ -x "$build/bin/tilescope-cli" ]] || { echo "there is no tilescope-cli to pack"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
cmake --install "$build" --prefix installed >/dev/null
(cd installed && find . ! -type d | sort) >installed.txt

cpack --config "$build/CPackConfig.cmake" -G "DEB;TGZ" -B packages >cpack.log ||
  { cat cpack.log; exit 1; }
tar -tzf packages/*.tar.gz | sed -n 's,^[^/]*/\(.*[^/]\)$,./\1,p' | sort >tgz.txt
diff installed.txt tgz.txt

dpkg-deb --info packages/*.deb | tee info.txt
for library in libc6 libstdc++6 libuv1; do
  grep "^ Depends:" info.txt | grep -qF " $library (" ||
    { echo "it does not depend on $library"; exit 1; }
done
# Into a system of its own, which has none of those libraries.
mkdir -p root/var/lib/dpkg/{info,updates}
touch root/var/lib/dpkg/{status,available}
dpkg --root="$scratch/root" --log=dpkg.log --force-not-root --force-depends -i packages/*.deb
(cd root/usr && find . ! -type d | sort) >deb.txt
diff installed.txt deb.txt
[[ "$(dpkg-query --admindir="$scratch/root/var/lib/dpkg" -W -f='${db:Status-Status}' tilescope)" == installed ]]
