/** Living on, harming a process outside, rights of the kernel, and programs that start others. */

import { type Escape, escapesFrom } from '../escape.ts';

const background = escapesFrom(
  'tests of sandbox-runtime on children that outlive the command, and Codex issues on the same',
  [
    ['a child in the background', 'alive', 'live & settled'],
    ['nohup', 'alive', 'nohup bash -c "$(declare -f live); LIVE=$LIVE; live" > /dev/null 2>&1 & settled'],
    ['setsid', 'alive', 'export -f live; export LIVE; setsid bash -c live & settled'],
    ['disowned', 'alive', 'live & disown; settled'],
    ['a child of a child', 'alive', '(live &) & settled'],
    [
      'a daemon that forks twice',
      'alive',
      `perl -MPOSIX -e 'exit if fork;POSIX::setsid();exit if fork;open F,">","started";close F;exec "perl","-e","sleep 600",$ARGV[0]' "$LIVE"; settled; until grep -qa "$LIVE" /proc/*/cmdline; do sleep 0.02; done; sleep 0.2`,
    ],
    [
      'deaf to signals',
      'alive',
      `perl -e '$SIG{$_}="IGNORE" for qw(TERM HUP INT PIPE CHLD);open F,">","started";close F;sleep 1 while 1' "$LIVE" & settled`,
    ],
  ],
);

const harm = escapesFrom('bubblewrap documentation on process namespaces, CVE-2017-5226 and its kind', [
  ['a signal', 'harmed', 'kill -9 "$VICTIM"; sleep 0.1'],
  ['a stop', 'harmed', 'kill -STOP "$VICTIM"; sleep 0.1'],
  ['a signal by perl', 'harmed', `perl -e 'kill 15,$ARGV[0]||die' "$VICTIM"; sleep 0.1`],
  [
    'a signal by name',
    'harmed',
    `for p in /proc/[0-9]*; do [ "\${p#/proc/}" = "$VICTIM" ] && kill -9 "\${p#/proc/}"; done; sleep 0.1`,
  ],
  [
    'a debugger',
    'harmed',
    `perl -e 'syscall(101,16,$ARGV[0]+0,0,0)==0||die "$!";select undef,undef,undef,0.2;kill 9,$ARGV[0]+0;exit' "$VICTIM"; sleep 0.1`,
    'mayLack',
  ],
  [
    'a seizing debugger',
    'secret',
    'gdb -q -batch -p "$VICTIM" -ex "info proc all" -ex "x/4000s *(char**)environ" 2>&1',
    'mayLack',
  ],
  ['a limit for another', 'harmed', 'prlimit --pid "$VICTIM" --cpu=0; kill -XCPU "$VICTIM"; sleep 0.1'],
]);

const kernel = escapesFrom('kernel interfaces in reports on container and bubblewrap escapes', [
  [
    'a namespace of its own, with a mount',
    'secret',
    'unshare -Urm bash -c "mkdir -p m; mount --rbind / m; cat m$HOME/.netrc"',
  ],
  [
    'a namespace and a look past a cover',
    'secret',
    'unshare -Urm bash -c "umount -l $HOME 2>/dev/null; cat $HOME/.netrc"',
  ],
  [
    'a namespace and a new /proc',
    'secret',
    'unshare -Urmpf --mount-proc true; unshare -Ur cat "$HOME/.ssh/id_ed25519"',
  ],
  ['the root again', 'secret', 'unshare -Ur /usr/sbin/chroot / cat "$HOME/.netrc"'],
  [
    'into the namespaces of another',
    'secret',
    'nsenter -t "$VICTIM" -U --preserve-credentials -m cat "$HOME/.netrc" 2>/dev/null || cat "/proc/$VICTIM/root$HOME/.netrc"',
  ],
  [
    'a write past a cover',
    'changed',
    'unshare -Urm bash -c "mount -o remount,rw / 2>/dev/null; echo evil > $SRV/data.txt"',
  ],
  [
    'the guarded folder uncovered',
    'changed',
    'unshare -Urm bash -c "umount -l $WS/.vscode 2>/dev/null; echo evil > $WS/.vscode/settings.json"',
  ],
  [
    'the repository made writable',
    'changed',
    'unshare -Urm bash -c "mount -o remount,bind,rw $WS/.git 2>/dev/null; echo evil > $WS/.git/hooks/post-merge"',
  ],
  ['the service manager', 'changed', 'systemd-run --user --quiet touch "$SRV/new" 2>/dev/null || touch "$SRV/new"'],
]);

const starters = escapesFrom('GTFOBins, programs that start a shell', [
  ['awk', 'changed', `awk 'BEGIN{system("echo evil > '"$SRV"'/data.txt")}'`],
  ['sed', 'changed', 'sed "1e echo evil > $SRV/data.txt" README.md'],
  ['find', 'changed', 'find README.md -exec sh -c "echo evil > $SRV/data.txt" ";"'],
  [
    'tar',
    'changed',
    'tar -cf /dev/null README.md --checkpoint=1 --checkpoint-action=exec="sh -c \\"echo evil > $SRV/data.txt\\""',
  ],
  ['xargs', 'changed', 'echo "$SRV/data.txt" | xargs rm -f'],
  ['an editor of git', 'changed', 'GIT_EDITOR="sh -c \\"echo evil > $SRV/data.txt\\"" git config --edit -f x'],
  ['a pager of git', 'changed', 'git -c core.fsmonitor="echo evil > $SRV/data.txt; false" status'],
  ['an alias of git', 'changed', 'git -c alias.x="!echo evil > $SRV/data.txt" x'],
  [
    'a helper of git',
    'changed',
    'git -c protocol.ext.allow=always ls-remote "ext::sh -c echo% evil% >% $SRV/data.txt"',
  ],
  ['make', 'changed', 'printf "a:\\n\\techo evil > $SRV/data.txt\\n" > m; make -f m a', 'mayLack'],
  ['an editor', 'changed', 'printf "!echo evil > $SRV/data.txt\\nq\\n" | ed -s README.md', 'mayLack'],
  ['another editor', 'changed', 'vim -es -u NONE -c "silent !echo evil > $SRV/data.txt" -c "qa!" README.md', 'mayLack'],
  [
    'npm scripts',
    'changed',
    `echo '{"scripts":{"x":"echo evil > '"$SRV"'/data.txt"}}' > package.json; npm run -s x`,
    'mayLack',
  ],
  ['the loader', 'changed', '/lib64/ld-linux-x86-64.so.2 /bin/cp README.md "$SRV/data.txt"', 'mayLack'],
  ['a shell that ignores its start', 'changed', 'env -i /bin/bash --norc -c "echo evil > $SRV/data.txt"'],
  ['timeout and nice', 'changed', 'timeout 5 nice env sh -c "echo evil > $SRV/data.txt"'],
]);

export const PROCESSES: readonly Escape[] = [...background, ...harm, ...kernel, ...starters];
