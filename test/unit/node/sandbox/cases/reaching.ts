/** Reaching a server: over the network, by sockets of files, and by a server of its own that others reach. */

import { type Escape, escapesFrom } from '../escape.ts';

/** Says hello to a socket that perl opens by `address`, of that family and type. */
const perl = (family: string, type: string, address: string) =>
  `perl -MSocket -e 'socket(S,${family},${type},0)||die "$!\\n";connect(S,${address})||die "$!\\n";$|=1;send S,"hello",0;$_=<S>;print' `;
const tcp = 'pack_sockaddr_in($ARGV[0],inet_aton("127.0.0.1"))';

const network = escapesFrom('network tests of Codex and sandbox-runtime', [
  ['bash itself', 'reached', 'exec 9<>"/dev/tcp/127.0.0.1/$PORT"; cat <&9'],
  ['a client of perl', 'reached', `${perl('PF_INET', 'SOCK_STREAM', tcp)} "$PORT"`],
  ['a datagram', 'reached', 'echo hi > "/dev/udp/127.0.0.1/$UDP"'],
  ['curl', 'reached', 'curl -s --http0.9 "http://127.0.0.1:$PORT/"', 'mayLack'],
  ['wget', 'reached', 'wget -q -O- -t1 "http://127.0.0.1:$PORT/"', 'mayLack'],
  ['git', 'reached', 'git ls-remote "http://127.0.0.1:$PORT/x.git"; git ls-remote "git://127.0.0.1:$PORT/x.git"'],
  [
    'ssh',
    'reached',
    'ssh -o BatchMode=yes -o StrictHostKeyChecking=no -o ConnectTimeout=5 -p "$PORT" 127.0.0.1',
    'mayLack',
  ],
  ['by the name of this machine', 'reached', 'exec 9<>"/dev/tcp/localhost/$PORT"; cat <&9'],
  ['by an address that means this machine', 'reached', 'exec 9<>"/dev/tcp/0.0.0.0/$PORT"; cat <&9'],
  ['by another address of this machine', 'reached', 'exec 9<>"/dev/tcp/127.1/$PORT"; cat <&9'],
]);

const dns = escapesFrom('CVE-2025-55284, data that leaves by names', [
  [
    'a question for a name',
    'reached',
    `perl -MSocket -e 'socket(S,PF_INET,SOCK_DGRAM,0)||die;send(S,pack("nnnnnn",1,256,1,0,0,0).pack("C/a","secret").pack("C/a","example")."\\0".pack("nn",1,1),0,pack_sockaddr_in($ARGV[0],inet_aton("127.0.0.1")))||die "$!"' "$UDP"`,
  ],
  [
    'a question by a stream',
    'reached',
    `perl -MSocket -e 'socket(S,PF_INET,SOCK_STREAM,0)||die;connect(S,pack_sockaddr_in($ARGV[0],inet_aton("127.0.0.1")))||die "$!";send S,pack("n",20).("x"x20),0' "$PORT"`,
  ],
]);

const sockets = escapesFrom(
  'unix sockets that lead out: docker, D-Bus, ssh-agent (issues of Claude Code, flatpak advisories)',
  [
    [
      'the socket of docker',
      'reached',
      `${perl('PF_UNIX', 'SOCK_STREAM', 'pack_sockaddr_un($ARGV[0])')} "$RUN/docker.sock"`,
    ],
    [
      'the agent of ssh',
      'reached',
      `${perl('PF_UNIX', 'SOCK_STREAM', 'pack_sockaddr_un($ARGV[0])')} "$RUN/agent.sock"`,
    ],
    ['the bus of the session', 'reached', `${perl('PF_UNIX', 'SOCK_STREAM', 'pack_sockaddr_un($ARGV[0])')} "$RUN/bus"`],
    [
      'the socket of the editor',
      'reached',
      `${perl('PF_UNIX', 'SOCK_STREAM', 'pack_sockaddr_un($ARGV[0])')} "$RUN/vscode-ipc.sock"`,
    ],
    [
      'a socket in the open folder',
      'reached',
      `${perl('PF_UNIX', 'SOCK_STREAM', 'pack_sockaddr_un($ARGV[0])')} "$WS/daemon.sock"`,
    ],
    [
      'a socket by a link',
      'reached',
      `ln -s "$RUN" r; ${perl('PF_UNIX', 'SOCK_STREAM', 'pack_sockaddr_un($ARGV[0])')} r/agent.sock`,
    ],
    ['an abstract socket', 'reached', `${perl('PF_UNIX', 'SOCK_STREAM', 'pack("Sa*",1,"\\0".$ARGV[0])')} "$ABSTRACT"`],
    [
      'a socket through /proc',
      'reached',
      `${perl('PF_UNIX', 'SOCK_STREAM', 'pack_sockaddr_un($ARGV[0])')} "/proc/self/cwd/daemon.sock"`,
    ],
    ['ssh-add', 'reached', 'SSH_AUTH_SOCK="$RUN/agent.sock" ssh-add -l', 'mayLack'],
    [
      'a program of the bus',
      'reached',
      'DBUS_SESSION_BUS_ADDRESS="unix:path=$RUN/bus" dbus-send --session --dest=a.b / a.b.C',
      'mayLack',
    ],
    ['curl by a socket', 'reached', 'curl -s --http0.9 --unix-socket "$RUN/docker.sock" http://x/', 'mayLack'],
    [
      'the agent that the environment names',
      'reached',
      `${perl('PF_UNIX', 'SOCK_STREAM', 'pack_sockaddr_un($ENV{SSH_AUTH_SOCK}||die "none")')}`,
    ],
  ],
);

const inside = escapesFrom(null, [
  [
    'a server inside',
    'met',
    `perl -MSocket -e 'socket(S,PF_INET,SOCK_STREAM,0)||die;setsockopt(S,SOL_SOCKET,SO_REUSEADDR,1);bind(S,pack_sockaddr_in($ARGV[0],INADDR_LOOPBACK))||die "$!";listen(S,5);open F,">","ready";close F;select(undef,undef,undef,0.02) until -e "tried"' "$FREE"`,
  ],
  [
    'a server inside for all',
    'met',
    `perl -MSocket -e 'socket(S,PF_INET,SOCK_STREAM,0)||die;setsockopt(S,SOL_SOCKET,SO_REUSEADDR,1);bind(S,pack_sockaddr_in($ARGV[0],INADDR_ANY))||die "$!";listen(S,5);open F,">","ready";close F;select(undef,undef,undef,0.02) until -e "tried"' "$FREE"`,
  ],
  ['through a child that leaves', 'reached', 'setsid -w bash -c "exec 9<>/dev/tcp/127.0.0.1/$PORT; cat <&9"'],
  [
    'through a new network of its own',
    'reached',
    'unshare -Urn true 2>/dev/null; exec 9<>"/dev/tcp/127.0.0.1/$PORT"; cat <&9',
  ],
  [
    'through awk or perl modules',
    'reached',
    `perl -MIO::Socket::INET -e 'print IO::Socket::INET->new("127.0.0.1:$ARGV[0]")->getline' "$PORT"`,
  ],
]);

export const REACHING: readonly Escape[] = [...network, ...dns, ...sockets, ...inside];
