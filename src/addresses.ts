import { BlockList, isIP } from 'node:net';

/** Addresses of this machine only: RFC 1122, section 3.2.1.3, and RFC 4291, section 2.5.3. */
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** An address in plain form: for an IPv4 address on an IPv6 socket Node writes `::ffff:` in front. */
export function plainAddress(address: string | undefined): string {
  return (address ?? '').replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
}

/** Whether an address, of a connection or to listen on, belongs to this machine only; `localhost` does. */
export function isLoopback(address: string | undefined): boolean {
  const plain = plainAddress(address);
  return plain.toLowerCase() === 'localhost' || holds(LOOPBACK, plain);
}

/** The fault of an entry for {@link makeAddressSet}; undefined for a good entry. The message has the words "but it " before the fault. */
export function faultOfRange(entry: string): string | undefined {
  if (entry === 'loopback') return undefined;
  const { address, bits, most } = readRange(entry);
  if (most === 0) return 'is neither an address nor a range such as 10.0.0.0/8';
  if (bits === 0) return 'means every address there is, so that anybody could say who they are';
  return bits !== undefined && bits <= most && !address.includes('%') ? undefined : `has no prefix from 1 to ${most}`;
}

/**
 * Makes a test whether an address belongs to a set.
 *
 * @param entries valid addresses, ranges (RFC 4632, RFC 4291 section 2.3), or the word `loopback`
 */
export function makeAddressSet(entries: readonly string[]): (address: string | undefined) => boolean {
  const set = new BlockList();
  const hasLoopback = entries.includes('loopback');
  for (const entry of entries.filter((one) => one !== 'loopback')) {
    const { address, bits = 0, most } = readRange(entry);
    set.addSubnet(address, bits, most === IPV4_BITS ? 'ipv4' : 'ipv6');
  }
  return (address) => {
    const plain = plainAddress(address);
    return holds(set, plain) || (hasLoopback && holds(LOOPBACK, plain));
  };
}

const IPV4_BITS = 32;
const IPV6_BITS = 128;

/** Reads an address or a range. `bits`: the prefix, undefined if it is unreadable. `most`: the longest prefix, 0 for an invalid address. */
function readRange(entry: string): { address: string; bits: number | undefined; most: number } {
  const [, before = '', prefix] = /^([^/]*)(?:\/(.*))?$/.exec(entry) ?? [];
  const address = plainAddress(before);
  const most = { 4: IPV4_BITS, 6: IPV6_BITS }[isIP(address)] ?? 0;
  if (prefix === undefined) return { address, bits: most, most };
  return { address, bits: /^\d{1,3}$/.test(prefix) ? Number(prefix) : undefined, most };
}

function holds(set: BlockList, plain: string): boolean {
  const kind = isIP(plain);
  return kind !== 0 && set.check(plain.replace(/%.*$/, ''), kind === 4 ? 'ipv4' : 'ipv6');
}
