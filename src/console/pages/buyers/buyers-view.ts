import type { CallRecord } from '../../../call-kind.ts';
import { grouped } from '../../../counted.ts';
import { sumsByCurrency } from '../../../ledger/counts/outcome-sums.ts';
import { outcomeOfRow, type RowOutcome } from '../../../ledger/counts/row-outcome.ts';
import { ARCHIVE_STANDING } from '../../../ledger/schema/archives.ts';
import { numbersOf } from '../../../ledger/search/index-words.ts';
import type { BuyerLook, BuyerRequest, BuyerStory, FoundBuyers, FoundLines } from '../../../ledger/story/row-story.ts';
import { type Meanings, statusMeaningOf } from '../../../status-meaning.ts';
import { countWords, type Html, html, t, translated } from '../../html/html.ts';
import { emptyState, notice, pageHead, pager, panel, table } from '../../parts/blocks.ts';
import { facts, rowBadge, type Stat, stats } from '../../parts/figures.ts';
import { button, field, form } from '../../parts/form.ts';
import { advice, amount, cutWords, minuteOf, money, plainCause, sumsPart, theirWords } from '../../parts/text.ts';
import { buyerAddress, portfolioAddress, rowAddress } from '../addresses.ts';

/** A buyer's main name, or a text in its place where the name was forgotten. */
export function shownBuyer({ names: [first] }: Pick<BuyerLook, 'names'>): string {
  return first?.name ?? t`A buyer whose name was forgotten`;
}

/** The most characters of a name on the buyer's own page: more than any real name has. All other pages cut names earlier. */
const LONGEST_NAME = 2_000;

/** The page of a buyer: names, numbers and ids, and its requests in all portfolios. */
export function buyerPage(story: BuyerStory, { from, meanings }: { from: number; meanings: Meanings }): Html {
  const { key, names, reference, companyId, count, isWhole, requests } = story;
  const results = requests.flatMap(({ result }) => result ?? []);
  const numbers = [...new Set(results.flatMap(({ request }) => numbersOf(request.limit)))];
  const companies = [...new Set([companyId, ...results.map((one) => one.companyId || (one.request.companyId ?? ''))])];
  const held = requests.filter(({ result }) => result?.state === 'held');
  const decided = requests.filter(({ decisions }) => decisions.length > 0);
  const end = from + requests.length;
  const all = isWhole ? countWords(count, 'request') : t`more than ${countWords(count, 'request')}`;
  return html`${pageHead({
    title: html`<bdi>${cutWords(shownBuyer(story), LONGEST_NAME)}</bdi>`,
    trail: [{ href: '/', words: t`Portfolios` }],
    lead: html`${all} in all portfolios, those of the newest portfolios first`,
  })}
  ${stats(sumsOf(story, meanings))}
  ${panel({
    title: t`The buyer`,
    body: facts([
      ...listed(
        t`Also named`,
        names.slice(1).map(({ name }) => theirWords(name)),
      ),
      ...listed(t`Numbers`, numbers.map(theirWords)),
      ...listed(t`Reference`, reference === '' ? [] : [theirWords(reference)]),
      ...listed(
        t`Company`,
        companies.filter(Boolean).map((id) => html`<code>${id}</code>`),
      ),
    ]),
  })}
  ${held.length > 0 && panel({ title: t`Needs an answer`, body: heldTable(held) })}
  ${requestsTable(requests, meanings)}
  ${pager({
    words: count === requests.length ? '' : t`${countWords(requests.length, 'request')} of ${all}`,
    first: from > 0 ? buyerAddress(key) : undefined,
    next: requests.length > 0 && end < count ? buyerAddress(key, end) : undefined,
  })}
  ${decided.length > 0 && panel({ title: t`Decisions that came later`, body: decisionsTable(decided) })}`;
}

/**
 * The sums on a buyer's page, each over the requests with one of these outcomes: the first over all that the service answered, the last
 * ones over the others.
 */
const SUMMED: readonly { label: string; outcomes: readonly RowOutcome[]; of?: 'granted' | 'available' }[] = [
  { label: t`Requested`, outcomes: ['approved', 'partly_approved', 'under_review', 'declined', 'answered'] },
  { label: t`Granted`, outcomes: ['approved', 'partly_approved'], of: 'granted' },
  { label: t`Available`, outcomes: ['approved', 'partly_approved'], of: 'available' },
  { label: t`Under review`, outcomes: ['under_review'] },
  { label: t`Declined`, outcomes: ['declined'] },
  { label: t`Outcome not known`, outcomes: ['answered'] },
  { label: t`Rejected by the service`, outcomes: ['rejected'] },
  { label: t`Needs an answer`, outcomes: ['needs_answer'] },
  { label: t`Not answered yet`, outcomes: ['waiting', 'sending', 'awaiting_approval'] },
  { label: t`Requested before`, outcomes: ['requested_before'] },
  { label: t`Not sent`, outcomes: ['not_sent'] },
];

/**
 * The figures of a buyer's page: the requested sums by outcome and currency, over all portfolios. Figures without requests are
 * left out, except the first.
 */
function sumsOf({ summed, count, isWhole }: BuyerStory, meanings: Meanings): Stat[] {
  const all = summed.flatMap((one) => (one.outcome ? [{ ...one, is: outcomeOfRow(one.outcome, meanings) }] : []));
  const isAll = isWhole && all.length === count;
  return SUMMED.flatMap(({ label, outcomes, of }, place) => {
    const some = all.filter(({ outcome, is }) => outcomes.includes(is) && !outcome?.replaced);
    const sums = some.flatMap(({ amount: requested, currency, outcome }) => {
      const own = of === undefined ? requested : approvedOf(outcome?.record ?? {}, meanings)[of];
      return own === undefined && of === 'available' ? [] : [{ amount: own ?? '0', currency }];
    });
    if (sums.length === 0 && place > 0) return [];
    const requests = `${isAll ? '' : t`at least `}${countWords(sums.length, 'request')}`;
    return [{ label, value: sums.length === 0 ? grouped(0) : sumsPart(sumsByCurrency(sums), isAll), hint: requests }];
  });
}

function listed(term: string, all: readonly Html[]): { term: string; what: Html }[] {
  return all.length === 0 ? [] : [{ term, what: html`${all.map((one, place) => html`${place > 0 && ', '}${one}`)}` }];
}

/** A link to the row of a request; to the archived portfolio where only the archive has the row. */
function requestLink({ row, result, archived }: BuyerRequest): Html {
  if (result) return html`<a href="${rowAddress(row)}"><bdi>${row.portfolio}</bdi>, line ${result.line}</a>`;
  const standing = archived === undefined ? t`not imported again yet` : translated(ARCHIVE_STANDING[archived]);
  return html`<span><a href="${portfolioAddress(row.portfolio)}"><bdi>${row.portfolio}</bdi></a><small class="under">${standing}</small></span>`;
}

/** The outcome of a request as a badge. A request whose outcome only the archive knows refers to it, and a forgotten one shows nothing. */
export function outcomeOf({ outcome, archived }: BuyerRequest, meanings: Meanings): Html | string {
  if (outcome) return rowBadge(outcome, meanings);
  return archived === 'forgotten' ? '' : t`see the archive`;
}

function requestsTable(requests: readonly BuyerRequest[], meanings: Meanings): Html {
  const approvedPart =
    (of: 'granted' | 'available') =>
    ({ outcome }: BuyerRequest) =>
      amount(approvedOf(outcome?.record ?? {}, meanings)[of]);
  return table({
    caption: t`Requests of this buyer`,
    rows: requests,
    columns: [
      { head: t`Portfolio`, names: true, cell: requestLink },
      { head: t`Changed (UTC)`, cell: ({ atMs }) => minuteOf(atMs) },
      { head: t`Requested`, kind: 'amount', cell: money },
      { head: t`Outcome`, cell: (request) => outcomeOf(request, meanings) },
      { head: t`Granted`, kind: 'amount', cell: approvedPart('granted') },
      { head: t`Available`, kind: 'amount', cell: approvedPart('available') },
      {
        head: t`Limit`,
        kind: 'id',
        cell: ({ outcome }) => (outcome?.limitId ? html`<code>${outcome.limitId}</code>` : '–'),
      },
      { head: t`Documents`, cell: documentsOf },
    ],
    empty: html`<p class="quiet">There are no more requests.</p>`,
  });
}

/** What an approved limit has, and what is still available of it. */
function approvedOf(
  { status, total_limit: granted, available_limit: available }: CallRecord,
  meanings: Meanings,
): { granted?: string | undefined; available?: string | undefined } {
  return statusMeaningOf(status, meanings) === 'approved' ? { granted, available } : {};
}

function documentsOf({ result }: BuyerRequest): Html | string {
  const documents = result?.request.documents ?? [];
  if (documents.length === 0) return '–';
  return html`<span>${documents.map(({ name }, place) => {
    const id = result?.documentIds[place];
    return html`${theirWords(name)}${id && html`<small class="under">${id}</small>`}`;
  })}</span>`;
}

function heldTable(held: readonly BuyerRequest[]): Html {
  return table({
    caption: t`Requests that need an answer`,
    rows: held,
    columns: [
      { head: t`Portfolio`, names: true, cell: requestLink },
      { head: t`Since (UTC)`, cell: ({ atMs }) => minuteOf(atMs) },
      { head: t`Requested`, kind: 'amount', cell: money },
      { head: t`Why`, cell: ({ result }) => advice(plainCause(result?.problem?.message ?? '–')) },
    ],
  });
}

function decisionsTable(decided: readonly BuyerRequest[]): Html {
  return table({
    caption: t`Later decisions`,
    rows: decided.flatMap((request) => request.decisions.map((decision) => ({ request, decision }))),
    columns: [
      { head: t`Portfolio`, names: true, cell: ({ request }) => requestLink(request) },
      { head: t`Decided (UTC)`, cell: ({ decision }) => minuteOf(Date.parse(decision.at) || decision.atMs) },
      { head: t`Status`, cell: ({ decision }) => theirWords(decision.said.status ?? '–') },
      { head: t`Total limit`, kind: 'amount', cell: ({ decision }) => amount(decision.said.total_limit) },
      { head: t`From`, cell: ({ decision }) => html`${theirWords(decision.file)}, by ${decision.by}` },
    ],
  });
}

export function foundPage(
  { buyers, gone, next }: FoundBuyers,
  { text, after, meanings, faulty }: { text: string; after: string; meanings: Meanings; faulty: FoundLines },
): Html {
  const addressOf = (place: string) =>
    `/search?${new URLSearchParams({ text, ...(place !== '' && { after: place }) })}`;
  return html`${pageHead({
    title: t`Find a buyer`,
    trail: [{ href: '/', words: t`Portfolios` }],
    lead: t`In all portfolios: by the beginning of a name’s word or of a number, or by a whole reference or id`,
  })}
  ${form({
    action: '/search',
    method: 'get',
    role: 'search',
    label: t`Buyers of all portfolios`,
    class: 'search',
    body: html`${field({ label: t`Name, number, reference or id`, name: 'text', type: 'search', value: text, hideLabel: true, maxlength: 200 })}${button({ words: t`Find` })}`,
  })}
  ${gone.map((request) => notice('info', html`Requested in ${requestLink(request)} ${outcomeOf(request, meanings)}`))}
  ${
    text !== '' &&
    html`${table({
      caption: t`Buyers`,
      rows: buyers,
      columns: [
        {
          head: t`Buyer`,
          names: true,
          cell: (buyer) => html`<a href="${buyerAddress(buyer.key)}">${theirWords(shownBuyer(buyer))}</a>`,
        },
        { head: t`Reference`, cell: ({ reference }) => (reference === '' ? '–' : theirWords(reference)) },
        { head: t`Requests`, kind: 'number', cell: ({ count, isWhole }) => `${count}${isWhole ? '' : '+'}` },
        {
          head: t`Latest`,
          cell: ({ requests }) =>
            html`<div>${requests.map((request) => html`<p>${requestLink(request)} ${outcomeOf(request, meanings)}</p>`)}</div>`,
        },
      ],
      empty: nothingFound(text, next, { ...faulty, gone }),
    })}
    ${pager({
      words: buyers.length > 0 ? countWords(buyers.length, 'buyer') : '',
      first: after === '' ? undefined : addressOf(''),
      next: next === undefined ? undefined : addressOf(next),
    })}
    ${faulty.lines.length > 0 && foundLines(text, faulty.lines)}`
  }`;
}

/** A table of the lines found that led to no request. Their buyers are not known. */
function foundLines(text: string, lines: FoundLines['lines']): Html {
  return table({
    caption: t`Lines that led to no request`,
    rows: lines,
    columns: [
      { head: t`Name`, names: true, cell: ({ name = '' }) => theirWords(name) },
      {
        head: t`Line`,
        cell: ({ portfolio, line, kind }) =>
          html`<a href="${portfolioAddress(portfolio, { text }, { lines: [kind] })}">line ${line}</a> in <bdi>${portfolio}</bdi>`,
      },
      { head: t`Problem`, cell: ({ message }) => html`<span class="row-problem">${advice(message)}</span>` },
    ],
  });
}

function nothingFound(
  text: string,
  next: string | undefined,
  { lines, unread, gone }: FoundLines & Pick<FoundBuyers, 'gone'>,
): Html {
  if (next !== undefined) {
    return emptyState({
      title: t`None so far.`,
      words: t`There are more buyers to look through: go on with “Next”, or write more of the name.`,
    });
  }
  if (gone.length > 0) {
    return emptyState({
      title: t`The request stands above.`,
      words: t`Its row is not here any more. Its buyer, where still known, is found by a name, a number or a reference.`,
    });
  }
  return emptyState({
    title: t`No buyer was found.`,
    words: html`Nothing is known as “<bdi>${text}</bdi>”. Words of a name are found by their beginnings, from two letters on; legal forms such as GmbH are left out. References and ids are found whole only: K10001, and not K1000.${lines.length > 0 && html` Lines that led to no request are below.`}${unread.length > 0 && html` Lines to fix of these portfolios are not searched here: ${unread.map((name) => html`<a href="${portfolioAddress(name, {}, { lines: ['invalid'] })}"><bdi>${name}</bdi></a> `)}`}`,
  });
}
