import { z } from 'zod';
import { grouped } from '../../../counted.ts';
import type { Cause } from '../../../ledger/counts/cause.ts';
import type { FailingPortfolio } from '../../../ledger/counts/glances.ts';
import { type FoundRow, queryOfFilter } from '../../../ledger/search/row-filter.ts';
import { countWords, type Html, html, t } from '../../html/html.ts';
import { emptyState, pager, table } from '../../parts/blocks.ts';
import { stateBadge } from '../../parts/figures.ts';
import { actionButton, button, field, form, linkButton, select } from '../../parts/form.ts';
import {
  advice,
  amount,
  commandLine,
  plainCause,
  shellWord,
  shownCause,
  theirWords,
  timeAgo,
} from '../../parts/text.ts';

export type FailedShown = {
  query: FailedQuery;
  failing: readonly FailingPortfolio[];
  /** The causes in the chosen portfolio; empty where none is chosen. */
  causes: readonly Cause[];
  page: { found: readonly FoundRow[]; next?: string; isMore: boolean };
  problem: string | undefined;
  /** The address of this page, to which an action returns. */
  address: string;
};

/** Portfolios with failed rows, with actions on all failed rows of each. */
export function failingView(failing: readonly FailingPortfolio[]): Html {
  return table({
    caption: t`Latest portfolios with failed rows`,
    rows: failing,
    empty: emptyState({
      title: t`Nothing has failed`,
      words: t`Rows that the service rejected, and rows that need an answer, are listed here with what can be done about them.`,
    }),
    columns: [
      {
        head: t`Portfolio`,
        names: true,
        cell: ({ name }) => html`<a href="${searchAddress({ portfolio: name })}">${name}</a>`,
      },
      { head: t`Rejected`, kind: 'number', cell: ({ refused }) => grouped(refused) },
      { head: t`Needs an answer`, kind: 'number', cell: ({ held }) => grouped(held) },
      { head: t`What can be done`, kind: 'actions', cell: failingActions },
    ],
  });
}

function failingActions({ name, refused, held }: FailingPortfolio): Html {
  return html`<div class="actions">
    ${held > 0 && linkButton({ href: '/held', words: t`Answer ${grouped(held)}`, label: t`Answer ${countWords(held, 'row')} of ${name}` })}
    ${refused > 0 && linkButton({ href: planAddress(name, {}), words: t`Send ${grouped(refused)} rejected again…`, dialog: true, label: t`Send ${grouped(refused)} rejected again… in ${name}` })}
    ${refused > 0 && commandLine(`npx limitline retry ${shellWord(name)}`)}
  </div>`;
}

export function failedView(shown: FailedShown, csrf: string): Html {
  const { query, page, problem, failing } = shown;
  return html`${searchForm(query, failing)}
    ${problem !== undefined && html`<p class="problem" role="alert">${problem}</p>`}
    ${rowsTable(shown, csrf)}
    ${pager({
      words: wordsOf(shown),
      first: query.after === undefined ? undefined : searchAddress({ ...query, after: undefined }),
      next: page.next === undefined ? undefined : searchAddress({ ...query, after: page.next }),
    })}`;
}

function wordsOf({ page: { found, next, isMore }, query }: FailedShown): string {
  if (found.length === 0) return isMore ? t`None found so far.` : '';
  const words = t`${countWords(found.length, 'row')} shown`;
  if (next === undefined && isMore && query.portfolio === undefined)
    return t`${words}; choose a portfolio for all of them`;
  return words;
}

function searchForm(query: FailedQuery, failing: readonly FailingPortfolio[]): Html {
  const names = [
    ...new Set([...(query.portfolio === undefined ? [] : [query.portfolio]), ...failing.map(({ name }) => name)]),
  ];
  const body = html`
    ${select({
      label: t`Portfolio`,
      name: 'portfolio',
      value: query.portfolio ?? '',
      options: [{ value: '', words: t`all` }, ...names.map((name) => ({ value: name, words: name }))],
    })}
    ${select({
      label: t`State`,
      name: 'state',
      value: query.state ?? '',
      options: [
        { value: '', words: t`rejected, or needs an answer` },
        { value: 'refused', words: t`rejected by the service` },
        { value: 'held', words: t`needs an answer` },
      ],
    })}
    ${field({ label: t`Cause`, name: 'cause', value: query.cause ?? '', placeholder: t`id, as in a job`, maxlength: 20 })}
    ${field({ label: t`Line, name, reference or id`, name: 'text', type: 'search', value: query.text ?? '', maxlength: 400 })}
    ${button({ words: t`Find` })}`;
  return form({
    action: '/work',
    method: 'get',
    body,
    class: 'filters queue-search',
    role: 'search',
    label: t`Failed rows`,
  });
}

/** Why rows of one portfolio failed, with the actions for each cause. */
export function causesView(portfolio: string, causes: readonly Cause[]): Html {
  return table({
    caption: t`Why rows of ${portfolio} failed`,
    rows: causes,
    columns: [
      {
        head: t`Cause`,
        kind: 'id',
        names: true,
        cell: ({ id }) => html`<a class="nowrap" href="${searchAddress({ portfolio, cause: id })}">${id}</a>`,
      },
      { head: t`Step`, cell: ({ step }) => html`<span class="nowrap">${step}</span>` },
      { head: t`Status`, kind: 'number', cell: ({ status }) => status ?? '–' },
      { head: t`What was said`, cell: (cause) => shownCause(cause) || cause.meaning },
      { head: t`Rows`, kind: 'number', cell: ({ rows }) => grouped(rows) },
      { head: t`Sum`, kind: 'amount', cell: ({ sum }) => amount(sum) },
      {
        head: t`What can be done`,
        kind: 'actions',
        cell: ({ id, meaning }) =>
          meaning === 'unknown'
            ? linkButton({ href: '/held', words: t`Answer`, label: t`Answer for cause ${id}` })
            : html`<div class="actions">${linkButton({ href: planAddress(portfolio, { cause: id }), words: t`Send again…`, dialog: true, label: t`Send again… cause ${id}` })}${commandLine(`npx limitline retry ${shellWord(portfolio)} --cause ${id}`)}</div>`,
      },
    ],
  });
}

function rowsTable({ page, query, address }: FailedShown, csrf: string): Html {
  const isAll = query.portfolio === undefined && query.text === undefined && query.cause === undefined;
  return table({
    caption: t`Rows that failed`,
    rows: page.found,
    empty: emptyState({
      title: isAll ? t`No failed rows` : t`No failed row matches`,
      words: isAll
        ? t`Each row is done, or on its way.`
        : t`A line by its number, a name by its beginning; a reference, a registration number, an id or a cause as a whole.`,
    }),
    columns: [
      {
        head: t`Row`,
        names: true,
        cell: ({ row, result }) =>
          html`<a class="nowrap" href="${rowAddress(row)}">${row.portfolio}, line ${result.line}</a>`,
      },
      { head: t`Buyer`, cell: ({ result }) => theirWords(result.request.name) },
      { head: t`Requested`, kind: 'amount', cell: ({ result }) => amount(result.request.limit.requested_limit) },
      { head: t`State`, cell: ({ result }) => stateBadge(result.state) },
      { head: t`Why`, cell: ({ result }) => whyOf(result) },
      {
        head: t`When`,
        wideOnly: true,
        cell: ({ result }) => html`<span class="nowrap">${timeAgo(result.updatedMs)}</span>`,
      },
      { head: t`What can be done`, kind: 'actions', cell: (found) => rowAction(found, { csrf, address }) },
    ],
  });
}

/** The most characters of a service's answer in the list: enough to tell it from others; the row's page shows all. */
const SHOWN_CHARACTERS = 160;

function whyOf({ problem, cause, replaced }: FoundRow['result']): Html {
  const body = problem?.body ?? '';
  return html`<div>${advice(plainCause(problem?.message ?? t`not known`))}${replaced && t` (another row stands in its place)`}
    ${body !== '' && html`<span class="under">${body.slice(0, SHOWN_CHARACTERS)}${body.length > SHOWN_CHARACTERS && '…'}</span>`}
    ${cause !== undefined && html`<span class="under">step ${problem?.step}, cause <code>${cause}</code></span>`}</div>`;
}

function rowAction({ row, result }: FoundRow, { csrf, address }: { csrf: string; address: string }): Html {
  const label = t`line ${result.line} of ${row.portfolio}`;
  if (result.state === 'held')
    return linkButton({ href: rowAddress(row), words: t`Answer`, label: t`Answer ${label}` });
  if (result.replaced) return html`–`;
  return actionButton({
    action: '/work/retry',
    csrf,
    words: t`Send again`,
    label: t`Send again: ${label}`,
    fields: { portfolio: row.portfolio, key: row.key, back: address, seen: String(result.sinceMs) },
    command: `npx limitline retry ${shellWord(row.portfolio)} --row ${row.key}`,
  });
}

function rowAddress({ portfolio, key }: FoundRow['row']): string {
  return `/portfolios/${encodeURIComponent(portfolio)}/rows/${encodeURIComponent(key)}`;
}

export function searchAddress(query: FailedQuery): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const text = new URLSearchParams(given).toString();
  return text === '' ? '/work' : `/work?${text}#failed`;
}

/** The address at which a retry of refused rows is planned: those of one cause, or all of the portfolio. */
function planAddress(portfolio: string, { cause }: { cause?: string }): string {
  const filter = queryOfFilter({ states: ['refused'], ...(cause === undefined ? {} : { cause }) });
  return `/plans/new?${new URLSearchParams({ portfolio, action: 'retry' })}&${filter}`;
}

const searched = z
  .string()
  .transform((words) => words.trim() || undefined)
  .optional()
  .catch(undefined);

/** The search in the address: filters, a text to find, and the row after which the list goes on. Empty and unknown values are left out. */
export const FAILED_QUERY = z.object({
  portfolio: searched,
  state: searched.pipe(z.enum(['refused', 'held']).optional()).catch(undefined),
  cause: searched,
  text: searched,
  after: searched,
});

export type FailedQuery = z.output<typeof FAILED_QUERY>;
