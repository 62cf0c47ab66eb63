import { cutText } from '../../src/cut-text.ts';
import { readOnlyColumns } from '../../src/portfolio/columns/column.ts';
import { clashingExtras, isPath, readExtraField, sentByPathWords } from '../../src/portfolio/columns/extra-fields.ts';
import type { Opened } from '../../src/portfolio/open-portfolio.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { dialectWords } from '../../src/table/dialect.ts';

type Read = Pick<Opened, 'dialect' | 'columns' | 'headerLine' | 'above'>;

/** How a file was read, in JSON: its form, and which columns were recognised. */
export function understanding({ dialect, columns, headerLine, above }: Read) {
  const refused = clashingExtras(columns);
  const named = columns
    .filter(({ written }) => written !== '')
    .map((column) => (refused.has(column.extra ?? '') ? { ...column, extra: undefined } : column));
  return {
    dialect,
    headerLine,
    above,
    mapped: named.flatMap(({ written, known, extra, by }) =>
      extra || (known && by !== 'name') ? [{ column: written, is: extra ?? known, by }] : [],
    ),
    unmapped: named.filter(({ known, extra }) => known === null && !extra).map(({ written }) => written),
  };
}

export type Understanding = ReturnType<typeof understanding>;

/**
 * How a file was read, as text: its form, its header line, recognised columns, and columns that are read or kept but not sent. '' for a
 * file without columns.
 */
export function understoodWords(read: Read): string {
  if (read.columns.length === 0) return '';
  const { mapped: all, unmapped } = understanding(read);
  const mapped = all.filter(({ is }) => !is || !isPath(is));
  const parts = [`Read as ${dialectWords(read.dialect)}.`, ...headerWords(read)];
  if (mapped.length > 0)
    parts.push(`Columns read: ${mapped.map(({ column, is }) => `${visible(column)} as ${is}`).join(', ')}.`);
  parts.push(...sentByPathWords(read.columns));
  const readOnly = readOnlyColumns(read.columns);
  if (readOnly.length > 0) parts.push(`Columns read, but not sent: ${readOnly.map(visible).join(', ')}.`);
  if (unmapped.length > 0) parts.push(`Columns kept, but not sent: ${unmapped.map(visible).join(', ')}.`);
  const paths = unmapped.filter((written) => 'field' in readExtraField(written));
  if (paths.length > 0)
    parts.push(`To send such a column, map it: ${paths.map((path) => `--map "${path}=${path}"`).join(' ')}`);
  // A header such as Kundennr. has the full stop already.
  return parts.join('\n').replace(/(?<!\.)\.\.$/gm, '.');
}

function headerWords({ headerLine, above }: Read): string[] {
  if (above === null) return headerLine === null || headerLine === 1 ? [] : [`The header is line ${headerLine}.`];
  const { from, to, texts } = above;
  const lines = from === to ? `line ${from}` : `lines ${from} to ${to}`;
  const more = texts.length > MAX_TITLES ? ' …' : '';
  const quoted = texts
    .slice(0, MAX_TITLES)
    .map((text) => `"${cutText(visible(text), MAX_TITLE)}"`)
    .join(', ');
  return [
    `The header is line ${headerLine}; ${lines} above it ${from === to ? 'is' : 'are'} not read: ${quoted}${more}.`,
  ];
}

/** Limits for quoted titles, so that they stay one sentence: how many, and characters of each. */
const MAX_TITLES = 3;
const MAX_TITLE = 40;
