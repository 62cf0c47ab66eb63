import type { CallKind } from '../../../call-kind.ts';
import { counted } from '../../../counted.ts';
import { type Elsewhere, elsewhereWords } from '../../../ledger/plans/plan.ts';
import { UNTIL_RESUMED } from '../../../ledger/schema/pause-reasons.ts';
import { rowIdOf } from '../../../ledger/schema/schema.ts';
import { type Html, html } from '../../html/html.ts';
import { button, form, hidden, linkButton } from '../../parts/form.ts';
import { notice, pageHead, panel } from '../../parts/page-head.ts';
import { table } from '../../parts/table.ts';
import { amount, cutWords, moment, theirWords } from '../../parts/text.ts';
import { rowAddress } from '../addresses.ts';
import { heldAddress } from './held-page.ts';

/** The answers that a file or a form gave about held rows, and their consequences, as shown before the confirmation. */
export type ShownPlan = {
  id: string;
  portfolio: string;
  /** Undefined where one row was answered; then `back` names the page to which the person returns. */
  fileName?: string | undefined;
  back?: string | undefined;
  of: readonly Answered[];
  /** Rows of other portfolios that are held for the same calls, and so are answered too. */
  elsewhere?: readonly Elsewhere[] | undefined;
  isPaused: boolean;
  silent: number;
  problems: readonly { at: number; message: string }[];
};

/** One answered row; times in ms. `sentMs` is undefined for an unknown time of sending; `made` is the id in the answer. */
type Answered = {
  line: number;
  import: string;
  row: string;
  kind: CallKind;
  name: string;
  requested_limit: string;
  sentMs: number | undefined;
  heldMs: number;
  made?: string;
};

/** The most lines that a table shows; further ones are only counted. */
const MOST_SHOWN = 200;

/** A plan with its confirm button. Without the button: what is wrong with the answers, or that they would change nothing. */
export function planPage({ plan, changed = false, csrf }: { plan: ShownPlan; changed?: boolean; csrf: string }): Html {
  const { portfolio, fileName, back, of, elsewhere, isPaused, silent, problems, id } = plan;
  const desk = heldAddress(portfolio);
  const made = of.filter((one) => one.made !== undefined).length;
  const row = back === 'row' ? rowIdOf(of[0]?.row ?? '') : undefined;
  const leave = row ? rowAddress(row) : back === 'account' ? heldAddress(undefined) : desk;
  const yes = form({
    action: `${desk}/confirm`,
    csrf,
    class: 'inline-form',
    body: html`${hidden('plan', id)}${button({ words: fileName === undefined ? yesWords(of) : `Answer ${counted(of.length, 'call')}`, kind: made < of.length ? 'danger' : 'primary' })} ${linkButton({ href: leave, words: 'Leave it' })}`,
  });
  const warned = [
    ...(made < of.length ? ['If the service did make something of a call that is sent again, it exists twice.'] : []),
    ...(isPaused ? [UNTIL_RESUMED] : []),
    ...elsewhereWords(elsewhere),
  ];
  const warns = warned.length > 0 && notice('warn', warned.join(' '));
  const counts = html`${counted(made, 'call')} would be taken as made, ${counted(of.length - made, 'call')} sent again${silent > 0 && `; ${counted(silent, 'line')} without an answer would change nothing`}. `;
  return html`${pageHead({
    title: fileName === undefined ? 'What would follow' : html`What ${fileName} would do`,
    trail: [
      { href: '/', words: 'Portfolios' },
      { href: `/portfolios/${encodeURIComponent(portfolio)}`, words: portfolio },
      { href: desk, words: 'Held' },
    ],
    lead: html`${fileName !== undefined && counts}Nothing was done yet.`,
  })}
  ${changed && notice('warn', 'Something has changed since this plan was made, so nothing was done. This is what would follow now.', { urgent: true })}
  ${problems.length > 0 ? problemsPart(plan, desk) : of.length === 0 ? nothingPart(desk) : fileName !== undefined && html`${warns}${yes}`}
  ${of.length > 0 && linesPart(plan)}
  ${fileName === undefined && of.length > 0 && panel({ title: 'Is that so?', body: html`${warns}${yes}` })}`;
}

function linesPart({ fileName, of }: ShownPlan): Html {
  return panel({
    title: fileName === undefined ? 'What it is about' : 'Line by line',
    body: html`${table({
      caption: 'What is said of each held row, and what follows',
      rows: of.slice(0, MOST_SHOWN),
      columns: [
        { head: 'Line', kind: 'number', cell: ({ line }) => line },
        { head: 'Buyer', names: true, cell: ({ name }) => theirWords(cutWords(name)) },
        { head: 'File', cell: (one) => one.import, wideOnly: true },
        { head: 'Amount', kind: 'amount', cell: (one) => amount(one.requested_limit) },
        { head: 'Asked for', cell: (one) => askedWords(one) },
        { head: 'What it says', kind: 'id', cell: (one) => one.made ?? 'send again' },
        { head: 'What follows', cell: (one) => html`<span>${followsWords(one)}</span>` },
      ],
    })}${of.length > MOST_SHOWN && html`<p class="hint">And ${counted(of.length - MOST_SHOWN, 'more')}.</p>`}`,
  });
}

function yesWords([one]: ShownPlan['of']): string {
  return one?.made === undefined ? 'It was not made: send it again' : `It was made: take ${one.made}`;
}

function askedWords({ sentMs, heldMs }: Answered): Html {
  return sentMs === undefined ? html`before ${moment(heldMs)}` : moment(sentMs);
}

/** What Limitline does after the answer: writes the id down, or sends the call again. */
function followsWords({ kind, made, requested_limit }: Answered): Html {
  const limit = html`the limit of ${amount(requested_limit)} is requested`;
  if (made === undefined) {
    if (kind === 'limit') return html`Once more ${limit}; the row ends by the answer.`;
    return html`The ${kind} is sent once more; then ${limit}.`;
  }
  const written = html`<code>${made}</code> is written as its ${kind}`;
  if (kind !== 'limit') return html`${written}; then ${limit}.`;
  return html`${written} of ${amount(requested_limit)}, and nothing is sent. What was granted stays unknown.`;
}

function problemsPart({ problems, fileName }: ShownPlan, desk: string): Html {
  const back = html`<p>${linkButton({ href: desk, words: 'Back to the held desk' })}</p>`;
  if (fileName === undefined) return html`${notice('bad', problems[0]?.message)}${back}`;
  return html`${notice('bad', `Problems in ${counted(problems.length, 'line')} of the file: nothing was done. Correct the file, and send it again.`)}
    ${table({
      caption: `What is wrong with ${fileName}`,
      rows: problems.slice(0, MOST_SHOWN),
      columns: [
        { head: 'Line of the file', kind: 'number', cell: ({ at }) => at },
        { head: 'Problem', names: true, cell: ({ message }) => message },
      ],
    })}
    ${back}`;
}

function nothingPart(desk: string): Html {
  return html`<p>The file says nothing of any held row: in its column <code>id</code> there is neither an id nor <code>resend</code>.</p><p>${linkButton({ href: desk, words: 'Back to the held desk' })}</p>`;
}
