import type { Readable } from 'node:stream';
import { z } from 'zod';
import { type AuditEntry, EXPORTED } from '../../../audit/entry.ts';
import { grouped } from '../../../counted.ts';
import { HOUR_MS } from '../../../time-units.ts';
import { ADMIN } from '../../access/access.ts';
import { countWords, type Html, html, t, translated } from '../../html/html.ts';
import { emptyState, pageHead, pager, table } from '../../parts/blocks.ts';
import { button, field, form, linkButton } from '../../parts/form.ts';
import { commandLine, moment, theirWords } from '../../parts/text.ts';
import { sendDownload } from '../downloads/send-download.ts';
import { page } from '../page.ts';

export type AuditPageFunctions = {
  page: (query: AuditQuery) => Promise<Omit<AuditShown, 'query' | 'wrongDay'>>;
  /** The whole trail as NDJSON, streamed as it is read. */
  export: () => Readable;
};

/** The time limit of an export: a million entries take seconds to read, and longer for a slow client. */
const EXPORT_LIMIT_MS = HOUR_MS;

/** `/audit`: who did what, for admins; `/audit/export`: the same as a file that can be verified without Redis. */
export const auditTrailPage = page<AuditPageFunctions>(
  { at: 'audit', entry: { at: 'audit', href: '/audit', words: t`Audit` }, ours: 'all' },
  ({ get }) => [
    get('/audit', {
      may: ADMIN,
      query: SEARCH,
      show: async ({ query: asked, given }) => ({
        title: t`Audit`,
        body: auditPage({ ...asked, ...(await given.page(asked.query)) }),
      }),
    }),
    get('/audit/export', {
      may: ADMIN,
      limitMs: EXPORT_LIMIT_MS,
      show: ({ request, reply, given }) => {
        const fileName = `audit-${new Date().toISOString().slice(0, 10)}.ndjson`;
        const file = { fileName, type: 'application/x-ndjson; charset=utf-8', what: EXPORTED };
        return sendDownload({ request, reply }, file, given.export());
      },
    }),
  ],
);

type AuditShown = {
  query: AuditQuery;
  /** The entered day, where it is not a valid one. */
  wrongDay?: string;
  /** The entries of this page, the newest first. */
  entries: readonly AuditEntry[];
  /** The `before` (see {@link AuditQuery}) of the next page's address; undefined on the last page. */
  next: number | undefined;
  /** The number of entries of the whole trail. */
  total: number;
  /** The most entries that a search reads for one page. */
  walk: number;
};

/** The page of the audit trail, the newest entries first. */
function auditPage(shown: AuditShown): Html {
  const { query, entries, next, total, walk } = shown;
  const isFirst = query.before === undefined;
  const { before: _before, ...found } = query;
  const isSearched = Object.keys(found).length > 0;
  return html`${pageHead({
    title: t`Audit`,
    lead: html`Who did what, when and from where. Entries are never changed, and changes from outside can be detected. ${commandLine('npx limitline audit verify', t`To check:`)}`,
    actions: linkButton({ href: '/audit/export', words: t`Download all, as NDJSON`, download: true }),
  })}
  ${form({ action: '/audit', method: 'get', class: 'filters', role: 'search', label: t`Find entries`, body: searchFields(shown, isSearched) })}
  ${table({
    caption: t`Entries of the audit trail, the newest first`,
    rows: entries,
    empty: emptyOf({ isSearched, next, walk }),
    columns: [
      { head: t`No.`, kind: 'number', cell: ({ number }) => grouped(number) },
      { head: t`When`, cell: ({ atMs }) => moment(atMs) },
      { head: t`Who`, cell: ({ by }) => (by === '' ? '–' : theirWords(by)) },
      { head: t`What`, names: true, cell: whatOf },
      { head: t`About`, cell: ({ about }) => (about === undefined ? '' : theirWords(about)) },
      { head: t`From`, cell: ({ from }) => theirWords(from) },
      { head: t`Facts`, cell: factsOf },
    ],
  })}
  ${pager({
    words: isSearched
      ? t`${countWords(entries.length, 'entry', 'entries')} shown`
      : t`${grouped(entries.length)} of ${countWords(total, 'entry', 'entries')}`,
    first: isFirst ? undefined : auditAddress(found),
    next: next === undefined ? undefined : auditAddress({ ...query, before: next }),
  })}`;
}

function searchFields({ query, wrongDay }: AuditShown, isSearched: boolean): Html {
  const { by = '', what = '', about = '', day = wrongDay ?? '' } = query;
  const problem = wrongDay === undefined ? undefined : t`Write it as 2026-11-22.`;
  return html`${field({ label: t`Who`, name: 'by', type: 'search', value: by, placeholder: t`part of a name`, maxlength: 200 })}
    ${field({ label: t`What`, name: 'what', type: 'search', value: what, placeholder: 'sign-in refused', maxlength: 200 })}
    ${field({ label: t`About`, name: 'about', type: 'search', value: about, placeholder: t`a portfolio, a user`, maxlength: 200 })}
    ${field({ label: t`Up to the day (UTC)`, name: 'day', value: day, placeholder: '2026-11-22', maxlength: 10, problem })}
    ${button({ words: t`Find` })}${isSearched && html`<a class="button is-quiet" href="/audit">Show all</a>`}`;
}

function emptyOf({ isSearched, next, walk }: { isSearched: boolean; next: number | undefined; walk: number }): Html {
  if (next !== undefined) {
    return emptyState({
      title: t`None found so far.`,
      words: t`A page searches ${grouped(walk)} entries at the most. “Next” searches further back.`,
    });
  }
  return isSearched
    ? emptyState({
        title: t`No entry matches.`,
        words: t`Each text is found anywhere in its column, in capitals or not.`,
      })
    : emptyState({
        title: t`Nothing was done yet.`,
        words: t`Each action, each refusal and each download will be listed here.`,
      });
}

/** The name of the recorded action. Of an action with two entries, it also says whether this is the one before or after it. */
function whatOf({ what, is, of }: AuditEntry): Html {
  if (is === undefined) return theirWords(what);
  return html`<span>${theirWords(what)}<small class="under">${translated(is)}${of !== undefined && html`, see <a href="${auditAddress({ before: of + 1 })}">no. ${grouped(of)}</a>`}</small></span>`;
}

function factsOf({ number, account, facts }: AuditEntry): Html {
  const count = Object.keys(facts ?? {}).length;
  const text = JSON.stringify({ account, ...facts }, null, 2);
  return html`<details><summary>${count === 0 ? t`account` : countWords(count, 'fact')}</summary><pre class="answer" tabindex="0" aria-label="Facts of entry ${grouped(number)}">${text}</pre></details>`;
}

export type AuditQuery = {
  by?: string;
  what?: string;
  about?: string;
  /** The last day that is shown, in UTC: `2026-11-22`. */
  day?: string;
  /** The number of an entry; only entries with smaller numbers are shown. */
  before?: number;
};

/** The most characters of a searched text: longer than any name. */
const LONGEST = 200;

const searched = z
  .string()
  .transform((words) => words.trim().slice(0, LONGEST))
  .catch('');

/** The search of an address, without what is empty or invalid. `wrongDay` is an invalid day as entered. */
const SEARCH = z
  .object({
    by: searched,
    what: searched,
    about: searched,
    before: z
      .string()
      .regex(/^[1-9]\d{0,14}$/)
      .transform(Number)
      .optional()
      .catch(undefined),
    day: searched,
  })
  .transform((asked) => {
    const { day } = asked;
    const isDay = /^\d{4}-\d\d-\d\d$/.test(day) && Number.isFinite(Date.parse(day));
    const given = Object.entries({ ...asked, day: isDay ? day : '' }).filter(([, value]) => (value ?? '') !== '');
    return { query: Object.fromEntries(given) as AuditQuery, ...(day !== '' && !isDay && { wrongDay: day }) };
  });

function auditAddress(query: AuditQuery): string {
  const given = new URLSearchParams();
  for (const [field, value] of Object.entries(query)) given.set(field, String(value));
  return given.size === 0 ? '/audit' : `/audit?${given}`;
}
