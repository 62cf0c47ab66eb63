import { readFileSync } from 'node:fs';

/** The version of Limitline, as its package says it. */
export function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return String((JSON.parse(text) as { version: unknown }).version);
}
