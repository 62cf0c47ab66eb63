import { KINDS } from '../../../call-kind.ts';
import { counted, grouped } from '../../../counted.ts';
import type { HeldRow } from '../../../ledger/rows/story.ts';
import { UNTIL_RESUMED } from '../../../ledger/schema/pause-reasons.ts';
import { rowName } from '../../../ledger/schema/schema.ts';
import type { HeldItem, HeldPage } from '../../../ledger/story/row-story.ts';
import { type Html, html } from '../../html/html.ts';
import { button, field, form, linkButton, textArea } from '../../parts/form.ts';
import { emptyState, notice, pageHead, panel } from '../../parts/page-head.ts';
import { pager } from '../../parts/table.ts';
import { amount, commandLine, cutWords, moment, shellWord, theirWords, timeAgo } from '../../parts/text.ts';
import { rowAddress } from '../addresses.ts';
import { resolveForms } from '../row/row-actions.ts';

type HeldPageGiven = {
  page: HeldPage;
  /** Undefined for the rows of the whole account. */
  portfolio: string | undefined;
  isFirst: boolean;
  /** What the person has just done, for the notice; see `didWord`. */
  did: string | undefined;
  /** A message about these rows, for a person to send to the service's staff. */
  textOf: (items: readonly HeldItem[]) => string;
  csrf: string;
};

/** The page of held rows: each call whose outcome nobody knows, the oldest first, with the forms that answer it. */
export function renderHeldPage({ page, portfolio, isFirst, did, textOf, csrf }: HeldPageGiven): Html {
  const { items, total, next } = page;
  const address = heldAddress(portfolio);
  const head = pageHead({
    title: portfolio === undefined ? 'Held' : html`Held in ${portfolio}`,
    trail: portfolio === undefined ? [] : trailOf(portfolio),
    lead: 'These calls were sent, and nothing that came back says what became of them. Nothing is sent again before a person says what became of them: ask the service’s people, then answer here.',
  });
  const done = didWords(did, wordsOf);
  if (items.length === 0) {
    return html`${head}${done && notice('good', done)}${emptyState({
      title: 'Nothing is held',
      words: 'What became of every call is known.',
      next: linkButton({
        href: portfolio === undefined ? '/' : (trailOf(portfolio)[1]?.href ?? '/'),
        words: 'To the portfolios',
      }),
    })}`;
  }
  return html`${head}${done && notice('good', done)}
    ${panel({
      title: `${counted(total, 'held row')}, oldest first`,
      body: html`<ol class="held-list">${items.map((item) => itemPart(item, { portfolio, textOf, csrf }))}</ol>
        ${pager({
          words: `${grouped(items.length)} of ${grouped(total)}`,
          first: isFirst ? undefined : address,
          next: next && `${address}?after=${encodeURIComponent(placeText(next))}`,
        })}`,
    })}
    ${panel({ title: 'Ask the service’s people', body: textPart(textOf(items), address) })}
    ${panel({ title: 'Answer by file', body: portfolio === undefined ? byPortfolio(items) : filePart(portfolio, csrf) })}`;
}

function trailOf(portfolio: string) {
  return [
    { href: '/', words: 'Portfolios' },
    { href: `/portfolios/${encodeURIComponent(portfolio)}`, words: portfolio },
  ];
}

function itemPart(
  item: HeldItem,
  { portfolio, textOf, csrf }: Pick<HeldPageGiven, 'portfolio' | 'textOf' | 'csrf'>,
): Html {
  const { row, kind, which, sentMs, atMs, heard, sent, step, isKnown } = item;
  const name = cutWords(item.name);
  const asked = `${KINDS[kind].asked.charAt(0).toUpperCase()}${KINDS[kind].asked.slice(1)}`;
  return html`<li class="held-item" aria-label="${asked} for ${name}">
    <div class="held-facts">
      <h3><a href="${rowAddress(row)}">${theirWords(name)}</a> ${amount(item.amount)}</h3>
      <p>${asked}${which !== '' && html` ${theirWords(which)}`} · ${portfolio === undefined && html`${row.portfolio}, `}line ${item.line} of ${theirWords(item.import)}</p>
      <p>Sent ${sentMs === undefined ? html`before ${moment(atMs)}` : moment(sentMs)}, ${timeAgo(sentMs ?? atMs)}</p>
      <p class="hint">What came back: ${heard}</p>
      <details><summary>What was sent</summary><pre class="answer" tabindex="0" aria-label="What was sent for ${name}">${sent || 'not kept'}</pre></details>
      <details><summary>Text for the service’s people</summary><pre class="answer" tabindex="0" aria-label="Text about ${name}" data-copied>${textOf([item])}</pre>${copyButton(`Copy the text about ${name}`)}</details>
    </div>
    ${
      isKnown
        ? html`<p class="hint">It is known by now what became of it: the row goes on within seconds.</p>`
        : resolveForms({ row, step, heldMs: atMs, back: portfolio === undefined ? 'account' : 'portfolio', csrf })
    }
  </li>`;
}

/** A button that copies a text; the browser's module shows it where copying works. */
function copyButton(label: string): Html {
  return html`<button type="button" class="copy" data-copy aria-label="${label}">Copy</button>`;
}

function textPart(text: string, address: string): Html {
  return html`${textArea({
    label: 'About all that are shown, ready to send',
    name: 'text',
    id: 'held-text',
    value: text,
    rows: 12,
    readonly: true,
  })}<p>${linkButton({ href: `${address}/text`, words: 'Download the text about all', download: true })}</p>`;
}

function filePart(portfolio: string, csrf: string): Html {
  return html`<p>A CSV with the columns <code>line</code> (or <code>row</code>) and <code>id</code>: the id under which each was made, or <code>resend</code>. You see what it would do before anything is done.</p>
    ${form({
      action: `${heldAddress(portfolio)}/file`,
      csrf,
      multipart: true,
      label: 'Answer by file',
      body: html`${field({ label: 'File (5 MB at the most)', name: 'file', type: 'file', accept: '.csv,.txt,.xlsx', required: true })}${button({ words: 'Show what it would do' })}`,
    })}
    ${commandLine(`npx limitline resolve ${shellWord(portfolio)} --from FILE --dry-run`)}`;
}

/** Links from the held rows of the account to those of each portfolio, since an answers file is for one portfolio only. */
function byPortfolio(items: readonly HeldItem[]): Html {
  const names = [...new Set(items.map(({ row }) => row.portfolio))];
  return html`<p>A file answers the rows of one portfolio: choose ${names.map((name, place) => html`${place > 0 && ', '}<a href="${heldAddress(name)}">${name}</a>`)}.</p>`;
}

/** The cursor, in an address, of the list that goes on behind this row. */
function placeText({ row, atMs }: HeldRow): string {
  return `${atMs}:${rowName(row)}`;
}

function wordsOf(did: string): string | undefined {
  const [, calls] = /^file-(\d{1,7})$/.exec(did) ?? [];
  return calls === undefined
    ? HELD_DID.get(did)
    : `${counted(Number(calls), 'call')} answered by the file: the rows go on.`;
}

/** The address of the held rows of a portfolio, or of the whole account. */
export function heldAddress(portfolio: string | undefined): string {
  return portfolio === undefined ? '/held' : `/portfolios/${encodeURIComponent(portfolio)}/held`;
}

/** What the page says after a plan about one held row was confirmed, by the code that the address then has (`?did=`). */
export const HELD_DID: ReadonlyMap<string, string> = new Map([
  ['made', 'Taken as made: the row goes on.'],
  ['resent', 'It is sent again, as soon as it is its turn.'],
  ['nothing', 'Nothing was changed: what became of the call is known by now.'],
]);

/** The query of an address that names what was just done (`did`), and whether the portfolio is paused. */
export function didWord(did: string, isPaused: boolean | undefined): string {
  return `?did=${did}${isPaused ? PAUSED : ''}`;
}

/** The notice for the code that `didWord` put into an address; undefined for a code that `words` does not know. */
export function didWords(did: string | undefined, words: (did: string) => string | undefined): string | undefined {
  const isPaused = did?.endsWith(PAUSED) === true;
  const said = words((isPaused ? did?.slice(0, -PAUSED.length) : did) ?? '');
  return said !== undefined && isPaused ? `${said} ${UNTIL_RESUMED}` : said;
}

const PAUSED = '-paused';
