import { isIP, isIPv6 } from 'node:net';

/**
 * The part of an address whose attempts are counted together: an IPv4 address, or the first 64 bits of an IPv6 address, since one line has
 * all of the other 64 bits (RFC 6177). An IPv4 address in IPv6 form counts as IPv4. Other texts, such as `command line on host`, count
 * as they are.
 */
export function addressGroup(from: string): string {
  return addressGroups(from)[0];
}

/**
 * What {@link addressGroup} answers, then the wider groups that one organisation may own: the /24 of an IPv4 address, the /56 and /48 of
 * an IPv6 address. They count attackers who change their address with each attempt.
 */
export function addressGroups(from: string): [string, ...string[]] {
  const bare = from.replace(/%.*$/, '');
  if (!isIPv6(bare)) return isIP(bare) ? ofIPv4(bare) : [from.slice(0, 100)];
  const groups = groupsOf(bare);
  const [high = 0, low = 0] = groups.slice(6);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) return ofIPv4([high >> 8, high & 0xff, low >> 8, low & 0xff].join('.'));
  const [first = 0, second = 0, third = 0, fourth = 0] = groups;
  const text = (last: number) => [first, second, third, last].map((group) => group.toString(16)).join(':');
  return [`${text(fourth)}::/64`, `${text(fourth & 0xff00)}::/56`, `${text(0)}::/48`];
}

const ofIPv4 = (address: string): [string, string] => [address, address.replace(/\d+$/, '0/24')];

function groupsOf(address: string): number[] {
  // The URL parser normalizes every spelling, also with IPv4 at the end (WHATWG URL, section 3.5).
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const numbers = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  if (tail === undefined) return numbers(head);
  const [before, after] = [numbers(head), numbers(tail)];
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}
