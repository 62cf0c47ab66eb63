import type { RowCause } from '../../ledger/counts/cause.ts';
import { t } from '../html/texts.ts';

/** Why no answer came, as Node and undici say it, and in everybody's words. */
const WORDS: readonly (readonly [machine: string, words: string])[] = [
  [
    'fetch failed|terminated|socket hang up|other side closed|(?:read|write) E[A-Z]+',
    t`the connection broke before an answer came`,
  ],
  ['(?:Headers|Body) Timeout Error|UND_ERR_(?:HEADERS|BODY)_TIMEOUT', t`no answer came in time`],
  ['bad response|Response does not match the HTTP/1\\.1 protocol', t`the answer could not be read`],
];

/** Patterns for reasons that Limitline wrote. A text after `status 500` and the like is the service's own, and is left as it is. */
const PLAIN = WORDS.map(([machine, words]) => {
  return { words, pattern: new RegExp(`(?<=^|: |, then |(\\())(?<!status \\d{3}[^]*)(?:${machine})\\b`) };
});

/**
 * A reason in plain words, with those of the machine behind them: `the connection broke before an answer came (read ECONNRESET)`. For
 * pages alone: `causeOf` reads what is stored.
 */
export function plainCause(text: string): string {
  for (const { pattern, words } of PLAIN) {
    if (pattern.test(text))
      return text.replace(pattern, (machine, bracket) => (bracket ? words : `${words} (${machine})`));
  }
  return text;
}

/** The words of a cause. Those of one with a status are the service's own. */
export function shownCause({ words, status }: Pick<RowCause, 'words' | 'status'>): string {
  return status === null ? plainCause(words) : words;
}
