/**
 * The filter of system calls for a command in the sandbox, as the program that the kernel runs. It closes the doors that
 * namespaces leave open: sockets other than those of the (empty) network, namespaces and mounts of its own, keyrings,
 * typing into a terminal, and programs that run with another's rights. Pure.
 */

/** Numbers of the calls, by the name that Node gives the processor. */
const CALLS = {
  x64: {
    arch: 0xc000003e,
    refused: {
      ...{
        mount: 165,
        umount2: 166,
        pivot_root: 155,
        chroot: 161,
        setns: 308,
        unshare: 272,
        keyctl: 250,
        add_key: 248,
      },
      ...{ request_key: 249, bpf: 321, perf_event_open: 298, userfaultfd: 323, open_by_handle_at: 304, kcmp: 312 },
      ...{ name_to_handle_at: 303, process_vm_readv: 310, process_vm_writev: 311 },
    },
    ...{ socket: 41, socketpair: 53, ioctl: 16, clone: 56 },
    /** Where each takes a mode: the number of its argument. */
    modes: {
      chmod: [90, 1],
      fchmod: [91, 1],
      fchmodat: [268, 2],
      fchmodat2: [452, 2],
      mknod: [133, 1],
      mknodat: [259, 2],
      creat: [85, 1],
    },
    /** Where each takes flags and a mode. */
    opens: { open: [2, 1, 2], openat: [257, 2, 3] },
  },
  arm64: {
    arch: 0xc00000b7,
    refused: {
      ...{ mount: 40, umount2: 39, pivot_root: 41, chroot: 51, setns: 268, unshare: 97, keyctl: 219, add_key: 217 },
      ...{ request_key: 218, bpf: 280, perf_event_open: 241, userfaultfd: 282, open_by_handle_at: 265, kcmp: 272 },
      ...{ name_to_handle_at: 264, process_vm_readv: 270, process_vm_writev: 271 },
    },
    ...{ socket: 198, socketpair: 199, ioctl: 29, clone: 220 },
    modes: { fchmod: [52, 1], fchmodat: [53, 2], fchmodat2: [452, 2], mknodat: [33, 2] },
    opens: { openat: [56, 2, 3] },
  },
} as const;

/** The same numbers on both: mounts in the new way, the ring of calls, a descriptor of another process. */
const REFUSED_EVERYWHERE = [428, 429, 430, 431, 432, 433, 442, 425, 426, 427, 438, 440];

/** Programs fall back to an older call that the filter can read: clone3, openat2. */
const UNKNOWN_EVERYWHERE = [435, 437];

const SETUID = 0o6000;
/** O_CREAT and what is its own in O_TMPFILE. */
const MAKES = 0o100 | 0o20000000;
const NAMESPACES = 0x7e020000 | 0x00000080;
const FAMILIES = { inet: 2, inet6: 10, netlink: 16 };
const DATAGRAM = 2;
const TERMINAL = { TIOCSTI: 0x5412, TIOCLINUX: 0x541c };
/** Calls of x86-64's other ABI have this bit. */
const OTHER_ABI = 0x40000000;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];
const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const give = (value: number): Instruction => [0x06, 0, 0, value];
const ALLOW = give(0x7fff0000);
const EPERM = give(0x00050001);
const ENOSYS = give(0x00050026);
const equals = (value: number, yes: number, no: number): Instruction => [0x15, yes, no, value];
const hasBits = (value: number, yes: number, no: number): Instruction => [0x45, yes, no, value];
const isAtLeast = (value: number, yes: number, no: number): Instruction => [0x35, yes, no, value];
const and = (value: number): Instruction => [0x54, 0, 0, value];
/** The lower half of an argument. */
const argument = (nth: number) => load(16 + 8 * nth);

/** For one call: what follows decides, or falls through to the next one. */
function when(call: number, body: readonly Instruction[]): Instruction[] {
  return [load(0), equals(call, 0, body.length), ...body];
}

/** Null for a processor whose calls are not known. */
export function writeFilter(processor: string): Buffer | null {
  if (processor !== 'x64' && processor !== 'arm64') return null;
  const calls = CALLS[processor];
  const program: Instruction[] = [
    load(4),
    equals(calls.arch, 1, 0),
    ENOSYS,
    load(0),
    isAtLeast(OTHER_ABI, 0, 1),
    ENOSYS,
    ...[...Object.values(calls.refused), ...REFUSED_EVERYWHERE].flatMap((call) => when(call, [EPERM])),
    ...UNKNOWN_EVERYWHERE.flatMap((call) => when(call, [ENOSYS])),
    ...when(calls.clone, [argument(0), hasBits(NAMESPACES, 0, 1), EPERM]),
    ...when(calls.socket, [
      argument(0),
      equals(FAMILIES.inet, 3, 0),
      equals(FAMILIES.inet6, 2, 0),
      equals(FAMILIES.netlink, 1, 0),
      EPERM,
    ]),
    // A pair of datagram sockets could be sent elsewhere.
    ...when(calls.socketpair, [argument(1), and(0xf), equals(DATAGRAM, 0, 1), EPERM]),
    ...when(calls.ioctl, [argument(1), equals(TERMINAL.TIOCSTI, 1, 0), equals(TERMINAL.TIOCLINUX, 0, 1), EPERM]),
    ...Object.values(calls.modes).flatMap(([call, mode]) => when(call, [argument(mode), hasBits(SETUID, 0, 1), EPERM])),
    ...Object.values(calls.opens).flatMap(([call, flags, mode]) =>
      when(call, [argument(flags), hasBits(MAKES, 0, 3), argument(mode), hasBits(SETUID, 0, 1), EPERM]),
    ),
    ALLOW,
  ];
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code, ifTrue, ifFalse, value], at) => {
    bytes.writeUInt16LE(code, at * 8);
    bytes.writeUInt8(ifTrue, at * 8 + 2);
    bytes.writeUInt8(ifFalse, at * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, at * 8 + 4);
  });
  return bytes;
}
