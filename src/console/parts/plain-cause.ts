import type { RowCause } from '../../ledger/counts/cause.ts';
import { t } from '../html/texts.ts';

/** Patterns of messages of Node and undici about an answer that did not come, each with plain words for it. */
const WORDS: readonly (readonly [machine: string, words: string])[] = [
  [
    'fetch failed|terminated|socket hang up|other side closed|(?:read|write) E[A-Z]+',
    t`the connection broke before an answer came`,
  ],
  ['(?:Headers|Body) Timeout Error|UND_ERR_(?:HEADERS|BODY)_TIMEOUT', t`no answer came in time`],
  ['bad response|Response does not match the HTTP/1\\.1 protocol', t`the answer could not be read`],
];

/** The patterns of {@link WORDS}, limited to reasons that Limitline wrote: text after `status 500` and the like is the service's own. */
const PLAIN = WORDS.map(([machine, words]) => {
  return { words, pattern: new RegExp(`(?<=^|: |, then |\\()(?<!status \\d{3}[^]*)(?:${machine})\\b`) };
});

/**
 * A reason in plain words: `the connection broke before an answer came` in place of `read ECONNRESET`. Only pages use it: stored reasons
 * keep the machine's message, which `causeOf` reads, and a row's page has it under “As it came”.
 */
export function plainCause(text: string): string {
  for (const { pattern, words } of PLAIN) if (pattern.test(text)) return text.replace(pattern, words);
  return text;
}

/** The words of a cause, in plain words where Limitline wrote them. With a status they are the service's own, and stay as they are. */
export function shownCause({ words, status }: Pick<RowCause, 'words' | 'status'>): string {
  return status === null ? plainCause(words) : words;
}
