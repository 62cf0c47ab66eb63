import type { Message } from '../way.ts';

/**
 * A notice as programs read it. Documented in docs/nightly.md: names are added, and none is changed.
 *
 * @returns a value for JSON.stringify
 */
export function jsonForm({ id, kind, title, facts, atMs, account, link }: Message) {
  return { id, kind, at: new Date(atMs).toISOString(), account, title, facts, link: link ?? null };
}
