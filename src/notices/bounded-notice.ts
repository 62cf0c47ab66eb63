import type { Notice } from './notice.ts';

/** A sentence; Slack shows the first 150 characters of a head, and mail programs fewer of a subject. */
const MOST_TITLE = 300;

/** With these a message stays below the 28 kB that Teams takes, whatever the characters are. */
const MOST_FACTS = 20;
const MOST_TERM = 60;
const MOST_WHAT = 200;

/**
 * A notice as it is kept and sent: texts of one line, without what would turn the direction of reading or what a terminal
 * would obey, and no longer than all receivers take. Names of portfolios come from names of files, and so from anybody.
 */
export function boundedNotice({ kind, title, facts, path, atMs }: Notice): Notice {
  const shown = facts.length > MOST_FACTS ? facts.slice(0, MOST_FACTS - 1) : facts;
  const kept = shown.map(({ term, what }) => ({ term: plainLine(term, MOST_TERM), what: plainLine(what, MOST_WHAT) }));
  if (shown.length < facts.length) kept.push({ term: 'And', what: `${facts.length - shown.length} more` });
  return { kind, title: plainLine(title, MOST_TITLE), facts: kept, path, atMs };
}

/** One line of at most so many UTF-16 units, whole characters all of them. */
export function plainLine(text: string, most: number): string {
  const line = text
    .slice(0, 2 * most)
    .toWellFormed()
    .replace(UNSEEN, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= most
    ? line
    : `${line
        .slice(0, most - 1)
        .toWellFormed()
        .replace(/\uFFFD$/, '')}…`;
}

/** Control and format characters, and the ends of lines and paragraphs. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;
