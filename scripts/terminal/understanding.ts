import type { Column } from '../../src/portfolio/columns/column.ts';
import type { Opened } from '../../src/portfolio/open-portfolio.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { dialectWords } from '../../src/table/dialect.ts';

type Read = Pick<Opened, 'dialect' | 'columns' | 'headerLine' | 'above'>;

/** How a file was read and its columns understood, for JSON: which was taken for which of ours, and which for none. */
export function understanding({ dialect, columns, headerLine, above }: Read) {
  const named = columns.filter(({ written }) => written !== '');
  return {
    ...{ dialect, headerLine, above },
    mapped: named.flatMap(({ written, known, by }) =>
      known && by !== 'name' ? [{ column: written, is: known, by }] : [],
    ),
    unmapped: named.filter(({ known }) => known === null).map(({ written }) => written),
  };
}

export type Understanding = ReturnType<typeof understanding>;

/**
 * The same in words, a line each: how the file is written, where its header stands, which columns were taken for which of
 * ours, and which are kept and not sent. '' for a file that has no columns.
 */
export function understoodWords(read: Read): string {
  if (read.columns.length === 0) return '';
  const { mapped, unmapped } = understanding(read);
  const parts = [`Read as ${dialectWords(read.dialect)}.`, ...headerWords(read)];
  if (mapped.length > 0)
    parts.push(`Taken: ${mapped.map(({ column, is }) => `${visible(column)} as ${is}`).join(', ')}.`);
  const currency = currencyColumn(read.columns);
  if (currency) parts.push(`Compared from line to line, and not sent: ${visible(currency.written)}.`);
  if (unmapped.length > 0) parts.push(`Kept, and not sent: ${unmapped.map(visible).join(', ')}.`);
  return parts.join('\n');
}

function headerWords({ headerLine, above }: Read): string[] {
  if (above === null) return headerLine === null || headerLine === 1 ? [] : [`The header is line ${headerLine}.`];
  const { from, to, texts } = above;
  const lines = from === to ? `line ${from}` : `lines ${from} to ${to}`;
  const more = texts.length > MAX_TITLES ? ' …' : '';
  const quoted = texts
    .slice(0, MAX_TITLES)
    .map((text) => `"${cut(visible(text))}"`)
    .join(', ');
  return [
    `The header is line ${headerLine}; ${lines} above it ${from === to ? 'is' : 'are'} not read: ${quoted}${more}.`,
  ];
}

/** Titles are told by the first of them and by their beginning; the sentence shall stay one. */
const MAX_TITLES = 3;
const MAX_TITLE = 40;

function cut(text: string): string {
  return text.length > MAX_TITLE ? `${text.slice(0, MAX_TITLE - 1)}…` : text;
}

function currencyColumn(columns: readonly Column[]): Column | undefined {
  return columns.find(({ known }) => known === 'currency');
}
