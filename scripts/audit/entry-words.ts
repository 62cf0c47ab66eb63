import type { AuditEntry } from '../../src/audit/entry.ts';

/** What a terminal would obey, or what would turn the direction of reading: anybody may try to sign in with such a name. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** An entry in words, on a line of its own: number, time, who, what, about what, from where, and its facts as JSON. */
export function entryWords({ number, atMs, by, what, is, of, about, from, account, facts }: AuditEntry): string {
  const when = Number.isFinite(atMs) ? new Date(atMs).toISOString().replace('T', ' ').replace('Z', ' UTC') : 'no time';
  const part = is === undefined ? '' : of === undefined ? `, ${is}` : `, ${is} (${of})`;
  const words = [
    String(number).padStart(6),
    when,
    by === '' ? '–' : by,
    `${what}${part}`,
    ...(about === undefined ? [] : [`"${about}"`]),
    `from ${from}`,
    ...(account === '' ? [] : [`account ${account}`]),
    ...(facts === undefined ? [] : [JSON.stringify(facts)]),
  ];
  return words.join('  ').replace(UNSEEN, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
