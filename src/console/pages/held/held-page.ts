import { KINDS } from '../../../call-kind.ts';
import { grouped } from '../../../counted.ts';
import { type HeldRow, heldName } from '../../../ledger/rows/story.ts';
import { untilResumed } from '../../../ledger/schema/pause-reasons.ts';
import type { HeldItem, HeldPage, HeldSummary } from '../../../ledger/story/row-story.ts';
import { countWords, type Html, type HtmlValue, html, t } from '../../html/html.ts';
import { emptyState, notice, pageHead, pager, panel, table } from '../../parts/blocks.ts';
import { stats } from '../../parts/figures.ts';
import { button, field, form, hidden, linkButton, tick } from '../../parts/form.ts';
import {
  commandLine,
  cutWords,
  minuteOf,
  money,
  plainCause,
  shellWord,
  theirWords,
  timeAgo,
} from '../../parts/text.ts';
import { rowAddress } from '../addresses.ts';

/** A person's answers that cannot be right, to be shown again: faults and typed ids by {@link heldName}, and the selected rows. */
type Kept = {
  faults: ReadonlyMap<string, string>;
  typed: ReadonlyMap<string, string>;
  picked: ReadonlySet<string>;
  back: string;
  /** Whether the person selected requests but pressed the button that only confirms ids. */
  isMixed: boolean;
};

type HeldPageGiven = {
  page: HeldPage;
  /** Undefined for the rows of the whole account. */
  portfolio: string | undefined;
  /** The {@link heldName} of the held row after which this page of the list begins; undefined for the first page. */
  after: string | undefined;
  /** The code of what the person has just done, for a notice; see `didWord`. */
  did?: string | undefined;
  kept?: Kept;
  csrf: string;
};

/** The page of held rows: a worklist of calls whose outcome nobody knows, the oldest first, with one form for all answers. */
export function renderHeldPage({ page, portfolio, after, did, kept, csrf }: HeldPageGiven): Html {
  const { items, total, next } = page;
  const address = heldAddress(portfolio);
  const head = pageHead({
    title: portfolio === undefined ? t`Held` : html`Held in ${portfolio}`,
    trail: portfolio === undefined ? [] : trailOf(portfolio),
    lead: t`These requests were sent, and nobody knows whether the service took them. Ask the service’s people, then answer here. Nothing is sent again before you answer.`,
  });
  const done = didWords(did, wordsOf);
  const said = html`${done && notice('good', done)}${kept && faultsPart(kept, items)}`;
  if (items.length === 0) {
    return html`${head}${said}${emptyState({
      title: t`Nothing is held`,
      words: t`What became of every call is known.`,
      next: linkButton({
        href: portfolio === undefined ? '/' : (trailOf(portfolio)[1]?.href ?? '/'),
        words: t`To the portfolios`,
      }),
    })}`;
  }
  const back = kept?.back || (portfolio === undefined ? 'account' : 'portfolio');
  return html`${head}${said}
    <div id="held-sum">${summaryPart(page)}</div>
    <div id="held-now" hidden>${heldNow(items)}</div>
    ${form({
      action: '/held/plan',
      csrf,
      class: 'held',
      label: t`Answers`,
      module: 'held',
      body: html`${hidden('back', back)}${hidden('desk', portfolio ?? '')}${hidden('after', after ?? '')}
        <p class="held-gone" role="status" hidden></p>
        ${table({
          caption: t`Requests that need an answer, the oldest first`,
          rows: items,
          columns: [
            { head: t`Select`, cell: (item) => pickPart(item, kept) },
            { head: t`Buyer`, names: true, cell: (item) => buyerPart(item, portfolio) },
            { head: t`Amount`, kind: 'amount', cell: money },
            { head: t`Asked on (UTC)`, cell: askedPart },
            { head: t`It exists, under the id`, cell: (item) => idPart(item, kept) },
          ],
        })}
        <div class="held-bar">
          ${html`<label class="tick" hidden><input type="checkbox" data-pick-all><span>Select all on this page</span></label>`}
          ${next && tick({ label: t`Select all ${grouped(total)}, also those on other pages`, name: 'all' })}
          <div class="actions">
            ${button({ words: t`Confirm the ids…`, kind: 'primary' })}
            ${button({ words: t`The selected were not made: ask again…`, kind: 'danger', name: 'resend', value: 'yes' })}
            ${button({ words: t`Letter to the service`, name: 'letter', value: 'yes' })}
          </div>
          <p class="hint">“The selected were not made” also takes the ids that you typed. The next page says what follows, before anything is done. A letter is about the selected requests, or about all if none is selected.</p>
        </div>`,
    })}
    ${pager({
      words: t`${grouped(items.length)} of ${grouped(total)}`,
      first: after === undefined ? undefined : address,
      next: next && `${address}?after=${encodeURIComponent(heldName(next))}`,
    })}
    ${panel({ title: t`Answer by file`, body: portfolio === undefined ? byPortfolio(items) : filePart(portfolio, csrf) })}`;
}

/** How many requests wait, their sums, and since when; the same for everybody. */
export function summaryPart({ total, sums, summed, oldestMs }: HeldSummary): Html {
  return stats([
    { label: total === 1 ? t`Request needs an answer` : t`Requests need an answer`, value: grouped(total) },
    ...sums.map((sum) => ({ label: t`Amount`, value: html`${total > summed && '≥ '}${money(sum)}` })),
    { label: t`Oldest (UTC)`, value: minuteOf(oldestMs) },
  ]);
}

/** Those rows of an open page that are still held, for the browser (held of assets/script/elements.js). */
export function heldNow(rows: readonly HeldRow[]): Html {
  return html`<span data-held="${rows.map(heldName).join('|')}"></span>`;
}

export function letterPage(letter: string, portfolio: string | undefined) {
  const address = heldAddress(portfolio);
  const body = html`${pageHead({
    title: t`Letter to the service`,
    trail: [{ href: address, words: t`Held` }],
    lead: t`Send this to the people of the service. They tell you the id of each request, or that they did not create it. Then answer in the list.`,
  })}
    ${panel({
      title: t`Text to copy`,
      body: html`<pre class="answer" tabindex="0" aria-label="Letter" data-copied data-module="posted" data-instead="${address}">${letter}</pre>
        <button type="button" class="button is-primary copy" data-copy>Copy</button>
        ${linkButton({ href: `${address}/text`, words: t`Download the letter about all`, download: true })} ${linkButton({ href: address, words: t`Back`, kind: 'quiet', back: true })}`,
    })}`;
  return { title: t`Letter to the service`, body };
}

function trailOf(portfolio: string) {
  return [
    { href: '/', words: t`Portfolios` },
    { href: `/portfolios/${encodeURIComponent(portfolio)}`, words: portfolio },
  ];
}

/** Says that nothing was done, with the faults of rows that are not on the page. */
function faultsPart({ faults, isMixed }: Kept, items: readonly HeldItem[]): Html {
  if (isMixed) {
    const said = t`Requests are selected, too, and “Confirm the ids” is about the ids alone. Clear the selection, or answer both by “The selected were not made”. Nothing was done.`;
    return notice('bad', said, { urgent: true });
  }
  if (faults.size === 0)
    return notice('bad', t`Type the ids of what exists, or select what was not made. Nothing was done.`, {
      urgent: true,
    });
  const shown = new Set(items.map(heldName));
  const others = [...faults].flatMap(([name, message]) => (shown.has(name) ? [] : [message]));
  const words = t`${countWords(faults.size, 'answer')} cannot be right. Nothing was done; what is wrong stands beside each.`;
  return notice('bad', html`${words} ${others.join(' ')}`, { urgent: true });
}

function pickPart(item: HeldItem, kept: Kept | undefined): HtmlValue {
  if (item.isKnown) return '';
  const name = heldName(item);
  return html`<input type="checkbox" name="pick-${name}" value="yes" checked="${kept?.picked.has(name)}" aria-label="Select ${cutWords(item.name)}">`;
}

function buyerPart(item: HeldItem, portfolio: string | undefined): Html {
  const { row, kind, which, name, line, heard, sent, sentFor } = item;
  return html`<div><a href="${rowAddress(row)}">${theirWords(name)}</a>
    <small class="under">${KINDS[kind].asked}${which !== '' && html` ${theirWords(which)}`} · ${portfolio === undefined && html`<bdi>${row.portfolio}</bdi>, `}line ${line} of ${theirWords(item.import.replace(/ #(\d+)$/, t` (import $1)`))}</small>
    ${sentFor !== undefined && html`<small class="under">It was sent with other values, for row <bdi>${sentFor}</bdi></small>`}
    <details class="held-more" open="${sentFor !== undefined}"><summary>What was sent and what came back</summary><p>${cutWords(plainCause(heard), MOST_HEARD) || t`Nothing came back.`}</p><pre class="answer" tabindex="0" aria-label="What was sent for ${cutWords(name)}">${sent || t`not kept`}</pre></details></div>`;
}

/** The most characters of a service's answer that the list of held rows shows; the row's page shows all. */
const MOST_HEARD = 500;

function askedPart({ sentMs, atMs }: HeldItem): Html {
  return html`<span>${sentMs === undefined && 'before '}${minuteOf(sentMs ?? atMs)}<small class="under">${timeAgo(sentMs ?? atMs)}</small></span>`;
}

function idPart(item: HeldItem, kept: Kept | undefined): Html {
  const { row, kind, name, isKnown } = item;
  if (isKnown) return html`<span class="hint">Answered: it goes on within seconds.</span>`;
  const { prefix } = KINDS[kind];
  const held = heldName(item);
  return field({
    label: t`Id for ${cutWords(name)}, line ${item.line} of ${row.portfolio}`,
    hideLabel: true,
    name: `made-${held}`,
    id: `made-${row.portfolio}-${row.key}`.replaceAll(' ', '_'),
    maxlength: 200,
    plain: true,
    // With `off`, a browser loses the typed ids when a person comes back to the page, but keeps the selected rows.
    autocomplete: 'on',
    problem: kept?.faults.get(held),
    ...(kept?.typed.has(held) ? { value: kept.typed.get(held) ?? '' } : {}),
    ...(prefix === '' ? {} : { placeholder: `${prefix}…` }),
  });
}

function filePart(portfolio: string, csrf: string): Html {
  return html`<p>A CSV with the columns <code>line</code> (or <code>row</code>) and <code>id</code>: the id under which each was made, or <code>resend</code>. You see what it would do before anything is done.</p>
    ${form({
      action: `${heldAddress(portfolio)}/file`,
      csrf,
      multipart: true,
      label: t`Answer by file`,
      body: html`${field({ label: t`File (5 MB at the most)`, name: 'file', type: 'file', accept: '.csv,.txt,.xlsx', required: true })}${button({ words: t`Show what it would do` })}`,
    })}
    ${commandLine(`npx limitline resolve ${shellWord(portfolio)} --from FILE --dry-run`)}`;
}

/** Links from the held rows of the account to those of each portfolio, since an answers file is for one portfolio only. */
function byPortfolio(items: readonly HeldItem[]): Html {
  const names = [...new Set(items.map(({ row }) => row.portfolio))];
  return html`<p>A file answers the rows of one portfolio: choose ${names.map((name, place) => html`${place > 0 && ', '}<a href="${heldAddress(name)}">${name}</a>`)}.</p>`;
}

function wordsOf(did: string): string | undefined {
  const [, calls] = /^answered-(\d{1,7})$/.exec(did) ?? [];
  if (calls === undefined) return HELD_DID.get(did);
  return calls === '0' ? HELD_DID.get('nothing') : t`${countWords(Number(calls), 'call')} answered: the rows go on.`;
}

export function heldAddress(portfolio: string | undefined): string {
  return portfolio === undefined ? '/held' : `/portfolios/${encodeURIComponent(portfolio)}/held`;
}

/** What the page says after a plan about one held row was confirmed, by the code that the address then has (`?did=`). */
export const HELD_DID: ReadonlyMap<string, string> = new Map([
  ['made', t`It exists: the row goes on.`],
  ['resent', t`It is sent again, as soon as it is its turn.`],
  ['nothing', t`Nothing was changed: what became of the call is known by now.`],
]);

/** The query of an address that names what was just done (`did`), and whether the portfolio is paused. */
export function didWord(did: string, isPaused: boolean | undefined): string {
  return `?did=${did}${isPaused ? PAUSED : ''}`;
}

/**
 * The notice for the code that `didWord` put into an address; undefined for a code that `words` does not know. `by`: the people who
 * may resume a paused portfolio.
 */
export function didWords(
  did: string | undefined,
  words: (did: string) => string | undefined,
  by = '',
): string | undefined {
  const isPaused = did?.endsWith(PAUSED) === true;
  const said = words((isPaused ? did?.slice(0, -PAUSED.length) : did) ?? '');
  return said !== undefined && isPaused ? `${said} ${untilResumed(by)}` : said;
}

const PAUSED = '-paused';
