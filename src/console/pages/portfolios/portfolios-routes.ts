import { z } from 'zod';
import type { PortfolioState } from '../../../ledger/portfolios/portfolio.ts';
import type { NewsKind, NewsPage, NewsSum } from '../../../ledger/rows/answered-lately.ts';
import { sharedFor } from '../../../once-at-a-time.ts';
import type { Person } from '../../../people/person.ts';
import type { Meanings } from '../../../status-meaning.ts';
import { can, LOOKS, ownMatters, type Rights } from '../../access/access.ts';
import { countWords, type Html, html, t } from '../../html/html.ts';
import { pageHead, pager } from '../../parts/blocks.ts';
import { button, field, form, linkButton } from '../../parts/form.ts';
import { count, withNumbers } from '../../parts/text.ts';
import { looksMasked } from '../../privacy/masked-view.ts';
import { ARCHIVED } from '../archived/archived-routes.ts';
import { page, text } from '../page.ts';
import { statusQuestions } from '../statuses/statuses-routes.ts';
import { NEWS, type Needs, type News, needsYou, type OpenApproval } from './needs-you.ts';
import { type ListedFor, type PortfoliosLook, type Running, renderList, underWayPanel } from './portfolios-list.ts';
import { NEWS_TITLES, newsPage, requestedSums } from './this-month.ts';

export type PortfoliosPageFunctions = {
  /** A page of the portfolios whose names contain `text`, the newest first. */
  page: (query: { text: string; after?: string; count: number }) => Promise<PortfoliosLook>;
  needs: () => Promise<Needs>;
  /** Whether a person may answer an approval: as an approver, and not for what they asked for themselves. */
  mayAnswer: (approval: OpenApproval, person: Pick<Person, 'by' | 'roles'>) => boolean;
  /** The sums of what the service declined or lowered within a week; `newsRows` is a page of it, from the cursor `after` on. */
  news: (kind: NewsKind) => Promise<NewsSum>;
  newsRows: (kind: NewsKind, after: string) => Promise<NewsPage>;
  /** What statuses mean now. */
  meanings: () => Promise<Meanings>;
  /** How many uploads are not submitted. */
  uploads: () => Promise<number>;
  /** The portfolios that are not finished, given the newest portfolios. */
  running: (listed: readonly PortfolioState[]) => Promise<Running>;
};

/** The number of portfolios on one page: about a screen. People mostly need the newest, and find others by name. */
const PORTFOLIOS_SHOWN = 25;

/** The most characters of a searched text; no portfolio's name is longer. */
const LONGEST_NAME = 100;

/** The address of the events of the first page, which has the newest portfolios. */
const EVENTS = '/newest/events';

const FRESH_MS = 2_000;

/** `/`: all portfolios of the account. */
export const portfoliosPage = page<PortfoliosPageFunctions>(
  { at: 'portfolios', entry: { at: 'portfolios', href: '/', words: t`Portfolios` } },
  ({ get, events }) => [
    get('/', {
      may: LOOKS,
      query: z.object({ text: text.transform((words) => words.trim().slice(0, LONGEST_NAME)), after: text }),
      show: async ({ request, reply, query: { text, after }, rights, given }) => {
        // Search results and further pages have the list alone, and get no live updates.
        if (text === '' && after === '') {
          const [first, uploads] = await Promise.all([readFirst(given), can(rights, 'GET /new') ? given.uploads() : 0]);
          const { by } = request.person;
          const needs = needsOf(first, { rights, by }, given);
          const body = renderPortfolios(first.look, { first, needs, uploads, text, after, rights, csrf: reply.csrf() });
          return { title: t`Portfolios`, events: EVENTS, body };
        }
        const look = await given.page({ text, count: PORTFOLIOS_SHOWN, ...(after === '' ? {} : { after }) });
        return { title: t`Portfolios`, body: renderPortfolios(look, { text, after, rights, csrf: reply.csrf() }) };
      },
    }),
    ...(['declined', 'lowered'] as const).map((kind) =>
      get(NEWS[kind], {
        may: LOOKS,
        query: z.object({ after: text }),
        show: async ({ query: { after }, given }) => {
          const [found, sum] = await Promise.all([given.newsRows(kind, after), given.news(kind)]);
          return { title: NEWS_TITLES[kind], body: newsPage(kind, found, { sum, after }) };
        },
      }),
    ),
    events(EVENTS, {
      may: LOOKS,
      // Approvers, and people who may do more on their own portfolios, see pieces made for them alone, so their name is the key.
      key: (_params, _query, { by, roles }, { table }) =>
        ownMatters(table, roles) || roles.includes('approver') ? by : '',
      frames: (given) => {
        // All open pages share one read within FRESH_MS. A changed meaning of a status changes the key, so it is seen at once.
        const newest = sharedFor(FRESH_MS, () => readFirst(given));
        return async (by, rights) => {
          const first = await newest(JSON.stringify([looksMasked(), ...(await given.meanings())]));
          return [
            { id: NEEDS_ID, html: needsOf(first, { rights, by }, given) },
            { id: UNDER_WAY_ID, html: underWayPanel(first.running, first.look) },
            { id: MONTH_ID, html: requestedSums(first.look) },
            { id: LIST_ID, html: renderList(first.look, { text: '', rights }) },
          ];
        };
      },
    }),
  ],
);

type First = News & { look: PortfoliosLook; running: Running };

async function readFirst({ page, needs, news, running }: PortfoliosPageFunctions): Promise<First> {
  const [look, waiting, declined, lowered] = await Promise.all([
    page({ text: '', count: PORTFOLIOS_SHOWN }),
    needs(),
    news('declined'),
    news('lowered'),
  ]);
  return { look, needs: waiting, news: { declined, lowered }, running: await running(look.portfolios) };
}

function needsOf(
  first: First,
  reader: { rights: Rights; by: string },
  given: Pick<PortfoliosPageFunctions, 'mayAnswer'>,
): Html {
  const { by, rights } = reader;
  const mayAnswer = (approval: OpenApproval) => given.mayAnswer(approval, { by, roles: rights.roles });
  return needsYou(first, {
    ...first.look,
    paused: first.running.paused,
    rejectedMs: first.running.rejectedMs,
    ...reader,
    mayAnswer,
  });
}

/** The page of portfolios, or a hint how to begin where there are none. */
function renderPortfolios(
  look: PortfoliosLook,
  given: ListedFor & { first?: First; needs?: Html; uploads?: number; after: string; csrf: string },
): Html {
  const { first, needs: waiting, uploads = 0, text, after, rights, csrf } = given;
  const { portfolios, total, next, archived } = look;
  const head = pageHead({
    title: t`Portfolios`,
    ...(total === 0 ? {} : { lead: t`${countWords(total, 'portfolio')} in this account, the newest first` }),
    actions: can(rights, 'GET /new') && linkButton({ href: '/new', words: t`New portfolio`, kind: 'primary' }),
  });
  const needs = waiting && html`<div class="stacked" id="${NEEDS_ID}">${waiting}</div>${uploadsLine(uploads)}`;
  const month = first && html`<div class="stacked" id="${MONTH_ID}">${requestedSums(look)}</div>`;
  if (total === 0) {
    return html`${head}${needs}${month}<div id="${LIST_ID}">${renderList(look, given)}</div>${archivedLine(archived)}`;
  }
  return html`${head}
    ${needs}
    ${
      first &&
      html`<div class="stacked" id="${UNDER_WAY_ID}">${underWayPanel(first.running, look)}</div>
    ${month}`
    }
    ${statusQuestions(statusesOf(portfolios), look.meanings, { rights, csrf, back: '/' })}
    ${form({
      action: '/',
      method: 'get',
      role: 'search',
      label: t`Portfolios`,
      class: 'search',
      body: html`${field({ label: t`Find a portfolio by its name`, name: 'text', type: 'search', value: text, placeholder: t`part of a name`, hideLabel: true, maxlength: 100 })}${button({ words: t`Find` })}${text !== '' && html`<a class="button is-quiet" href="/">Show all</a>`}`,
    })}
    <div id="${LIST_ID}">${renderList(look, given)}</div>
    ${pager({
      words: countWords(portfolios.length, 'portfolio'),
      first: after === '' ? undefined : addressOf(text),
      next: next === undefined ? undefined : addressOf(text, next),
    })}
    ${archivedLine(archived, text)}
    <p class="quiet"><a href="/statuses">Statuses</a>: what the service’s answers mean, and who says so.</p>`;
}

/** The number of rows of these portfolios by the status that the service answered. */
function statusesOf(portfolios: readonly PortfolioState[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { statuses } of portfolios)
    for (const [status, rows] of Object.entries(statuses)) counts.set(status, (counts.get(status) ?? 0) + rows);
  return Object.fromEntries(counts);
}

/** Says how many uploads nobody has submitted: nothing of them is requested. */
function uploadsLine(uploads: number): Html {
  if (uploads === 0) return html``;
  return html`<p class="quiet"><a href="/new">${withNumbers(countWords(uploads, 'upload is', 'uploads are'))} not submitted yet</a>: nothing is requested of ${uploads === 1 ? t`it` : t`them`} before that.</p>`;
}

/** Links to the archived portfolios, since a search does not find those. */
function archivedLine(archived: number, text = ''): Html {
  if (archived === 0) return html``;
  return html`<p class="quiet"><a href="${ARCHIVED}">${count(archived)} archived or forgotten</a>${text !== '' && t`, not searched here`}: what is archived is kept in files, and brought back on request.</p>`;
}

/** The ids of the page's elements that events refresh. */
const LIST_ID = 'portfolios-list';
const NEEDS_ID = 'needs-you';
const UNDER_WAY_ID = 'under-way';
const MONTH_ID = 'this-month';

function addressOf(text: string, after?: string): string {
  const query = new URLSearchParams();
  if (text !== '') query.set('text', text);
  if (after !== undefined) query.set('after', after);
  return query.size === 0 ? '/' : `/?${query}`;
}
