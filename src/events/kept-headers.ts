import type { IncomingMessage } from 'node:http';

/** What proves who somebody is, under the names that are usual for it: kept by nobody who does not check it. */
const PROOFS = /authorization|cookie|api-?key|auth-?token/;

/** Proxies pass on the address that was asked for, and with it the secret. */
const MASK = '[secret]';

/**
 * The headers that are kept of an event: all, in lower case and in their order, each as often as it came, but for those that prove who
 * somebody is, and without the secret wherever it stands in one.
 */
export function keptHeaders(
  { headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>,
  secret: string,
): Record<string, string | string[]> {
  const kept = Object.entries(headersDistinct).flatMap(([name, values = []]) => {
    if (PROOFS.test(name)) return [];
    const [first = '', ...more] = values.map((value) => value.replaceAll(secret, MASK));
    return [[name.replaceAll(secret.toLowerCase(), MASK), more.length === 0 ? first : [first, ...more]] as const];
  });
  return Object.fromEntries(kept);
}
