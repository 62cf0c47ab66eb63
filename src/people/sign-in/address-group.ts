import { isIP, isIPv6 } from 'node:net';

/**
 * What of an address is counted as one place: an IPv4 address, or the 64 bits of an IPv6 address that one line has (RFC 6177),
 * since whoever has the line has all of its other 64 bits. An IPv4 address that is written as one of IPv6 is itself. What is no
 * address, such as `command line on host`, is a place too.
 */
export function addressGroup(from: string): string {
  const bare = from.replace(/%.*$/, '');
  if (!isIPv6(bare)) return isIP(bare) ? bare : from.slice(0, 100);
  const groups = groupsOf(bare);
  const [high = 0, low = 0] = groups.slice(6);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** The eight numbers of an IPv6 address, in whichever of its spellings. */
function groupsOf(address: string): number[] {
  // The URL parser writes every spelling in one way, IPv4 at the end included (WHATWG URL, section 3.5).
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const numbers = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  if (tail === undefined) return numbers(head);
  const [before, after] = [numbers(head), numbers(tail)];
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}
