import { grouped } from '../../../counted.ts';
import type { FaultKind, FaultyPage } from '../../../ledger/portfolios/faulty-lines.ts';
import type { RowFilter } from '../../../ledger/search/row-filter.ts';
import { can, type Rights } from '../../access/access.ts';
import { type Html, html } from '../../html/html.ts';
import { countWords, t } from '../../html/texts.ts';
import { stateBadge } from '../../parts/figures.ts';
import { emptyState } from '../../parts/page-head.ts';
import { pager, table } from '../../parts/table.ts';
import { advice, theirWords } from '../../parts/text.ts';
import { below, type Listing, portfolioAddress } from '../addresses.ts';

/** The names of the kinds of lines that led to no row. */
export const FAULT_WORDS: Readonly<Record<FaultKind, string>> = { invalid: t`Lines to fix`, duplicate: t`Duplicates` };

/** The lines of the last file that led to no row, each with its name and problem. */
export function renderFaultyLines(
  name: string,
  { found, next, unlisted }: FaultyPage,
  { filter, listing, rights }: { filter: RowFilter; listing: Listing; rights: Rights },
): Html {
  if (unlisted > 0) {
    return emptyState({
      title: t`${grouped(unlisted)} lines are too many to be listed here or searched.`,
      words: can(rights, 'GET /portfolios/:name/downloads/:file')
        ? html`All of them, each with its problem, are in the download <a href="${below(name, 'downloads', 'errors.csv')}" download>File to correct</a>.`
        : t`All of them, each with its problem, are in the file to correct.`,
    });
  }
  return html`${table({
    caption: t`Lines that led to no row`,
    rows: found,
    columns: [
      { head: t`Line`, kind: 'number', cell: ({ line }) => line },
      { head: t`Name`, names: true, cell: ({ name: of }) => (of === undefined ? t`no name` : theirWords(of)) },
      { head: t`Outcome`, cell: ({ kind }) => stateBadge(kind, kind === 'invalid' ? t`to fix` : t`duplicate`) },
      { head: t`Problem`, cell: ({ message }) => html`<span class="row-problem">${advice(message)}</span>` },
    ],
    empty: emptyState({
      title: t`No lines found.`,
      words: t`Each line of the last file that this means led to a row.`,
    }),
  })}
  ${pager({
    words: found[0] ? t`${countWords(found.length, 'line')} from line ${found[0].line}` : '',
    label: t`Pages of lines`,
    first: listing.behind === undefined ? undefined : portfolioAddress(name, filter, { lines: listing.lines ?? [] }),
    next: next === undefined ? undefined : portfolioAddress(name, filter, { lines: listing.lines ?? [], behind: next }),
  })}`;
}
