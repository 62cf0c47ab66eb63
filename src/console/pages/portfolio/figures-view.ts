import { grouped, moneyText } from '../../../counted.ts';
import type { MoneyLine } from '../../../ledger/counts/money.ts';
import { amountHead, moneyLines, moneyNotes, moneyOf, onlyCurrency } from '../../../ledger/counts/money.ts';
import { answerNotes, besidesOutcomes } from '../../../ledger/counts/not-quite-granted.ts';
import { grantedOf, isGrantKnown, outcomesOf } from '../../../ledger/counts/outcome-sums.ts';
import { OUTCOMES, ROW_OUTCOMES } from '../../../ledger/counts/row-outcome.ts';
import type { PortfolioState } from '../../../ledger/portfolios/portfolio.ts';
import { type FunnelStep, grantedShort, openRows } from '../../../ledger/portfolios/summary.ts';
import { FAULT_KINDS } from '../../../ledger/schema/keys.ts';
import { GRANTED_STATES, rowsIn, type Step } from '../../../ledger/schema/row.ts';
import { timeLeftWords } from '../../../pace/time-left.ts';
import { visible } from '../../../portfolio/problem.ts';
import { capitalized, sentence } from '../../../sentence.ts';
import { can, type Rights } from '../../access/access.ts';
import { countWords, type Html, type HtmlValue, html, t, translated } from '../../html/html.ts';
import { table } from '../../parts/blocks.ts';
import { barLine, SHOWN_AS, stateBadge, stateShape } from '../../parts/figures.ts';
import { linkButton } from '../../parts/form.ts';
import {
  amount,
  commandLine,
  count,
  moment,
  money as moneyPart,
  shellWord,
  shownCause,
  withNumbers,
} from '../../parts/text.ts';
import { AUTOMATION, below, planAddress, portfolioAddress } from '../addresses.ts';
import { outSumWords } from '../new/words.ts';
import { supplierWords } from '../row/row-page.ts';
import type { PortfolioLook, ShownCause, WorkLeft } from './portfolio-look.ts';

/** What became of the money: a bar, a line for each outcome with a link to its rows, and the time that is left. */
export function renderMoney(look: PortfolioLook, { open, calls, left }: WorkLeft): Html {
  const { state, meanings } = look;
  const { name, kept, replaced, sums } = state;
  const outcomes = outcomesOf(state, meanings);
  const money = moneyOf(state, outcomes);
  const lines = moneyLines(money, outcomes);
  const currency = onlyCurrency(money);
  const inCurrency = (sum: string | undefined) =>
    html`<span class="money-amount" data-currency="${currency}">${amount(sum)}</span>`;
  const pieces = [
    { state: 'invalid' as const, ...money.left_out, words: t`invalid or duplicate lines` },
    ...OUTCOMES.map((one) => {
      const { rows, requested } = outcomes[one];
      return { state: SHOWN_AS[one], lines: rows, amount: requested, words: translated(ROW_OUTCOMES[one]) };
    }),
  ].filter((piece) => piece.lines > 0);
  const bar = pieces.map(({ state: shown, amount: sum = '0', words }) => {
    return { state: shown, size: Number(sum), words: `${moneyText(sum)} ${words}` };
  });
  const granted = grantedOf(state, meanings);
  const earlier = { before: Object.keys(granted.before.statuses), meanings };
  const withThem = (leftOut: number) =>
    look.imports.length > 1
      ? ''
      : t` With ${leftOut === 1 ? t`it` : t`them`}, the file had ${grouped(money.in_file.lines + leftOut)} lines.`;
  const notes = [
    ...(state.importing ? [t`A file is still being imported: these figures are of the lines read so far.`] : []),
    ...moneyNotes(money, { ...sums, ...granted }),
    ...besidesOutcomes({ ...granted, ...grantedShort(state, meanings), outcomes }, meanings).map((words) =>
      visible(sentence(words)),
    ),
    ...answerNotes(state.answers, meanings, { bring: t` A file of decisions can give a missing status.`, currency }),
    ...look.leftOut.flatMap(({ leftOut = 0, outSum }) =>
      leftOut > 0
        ? [
            t`Not in this table: ${countWords(leftOut, 'line')} that people left out by hand before the import${outSumWords(outSum, currency)}.${withThem(leftOut)}`,
          ]
        : [],
    ),
    ...(replaced > 0
      ? [
          t`${countWords(replaced, 'row was', 'rows were')} corrected or left out by a later file: in none of these sums. Results show ${replaced === 1 ? t`it` : t`them`} as not sent.`,
        ]
      : []),
  ];
  return html`${barLine(t`Money of ${name} by outcome`, bar)}
  ${table({
    caption: t`Money of portfolio ${name}`,
    rows: lines,
    columns: [
      { head: t`What became of it`, names: true, cell: moneyName },
      { head: t`Lines`, kind: 'number', cell: (line) => moneyRows(name, line) },
      {
        head: translated(capitalized(amountHead(money))),
        kind: 'amount',
        cell: ({ amount: sum }) => (sum === undefined ? t`not known` : inCurrency(sum)),
      },
      {
        head: t`Granted`,
        kind: 'amount',
        cell: ({ granted, outcomes: some }) =>
          granted === undefined ? '' : inCurrency(isGrantKnown(outcomes, some, earlier) ? granted : undefined),
      },
    ],
  })}
  ${notes.map((note) => html`<p class="quiet">${withNumbers(note)}</p>`)}
  ${kept > 0 && keptNote(name, kept)}
  ${state.supplier && state.supplier.problem === undefined && html`<p class="quiet">Supplier: ${supplierWords(state.supplier, state.supplierAwaits)}.</p>`}
  <p class="quiet">${timeWords(look, left === undefined ? '' : timeLeftWords(left), open, calls)}</p>`;
}

/** Says of rows whose lines in the last import cannot be used that they stay, with a link to these lines and their problems. */
function keptNote(name: string, kept: number): Html {
  const [why, link] =
    kept === 1
      ? [t`1 row stays as it was: its line in the last import cannot be used.`, t`The line and its problem`]
      : [
          t`${grouped(kept)} rows stay as they were: their lines in the last import cannot be used.`,
          t`The lines and their problems`,
        ];
  return html`<p class="quiet">${withNumbers(why)} <a href="${portfolioAddress(name, {}, { lines: ['invalid'] })}">${link}</a></p>`;
}

function moneyName({ level, words, outcomes: [outcome, ...others] }: MoneyLine): Html {
  // People can leave lines out by hand, too: those are in no line of the table.
  const isFaulty = level === 1 && outcome === undefined;
  const text = isFaulty ? t`Left out: invalid or duplicate` : translated(capitalized(words));
  const isPart = level === 2 && outcome !== undefined && others.length === 0;
  return html`<span class="money-${level}">${isPart ? stateBadge(SHOWN_AS[outcome], text) : text}</span>`;
}

/** The number of file lines in a line of the money table, as a link to their rows. */
function moneyRows(name: string, { level, lines, outcomes }: MoneyLine): HtmlValue {
  if (level === 0) return count(lines);
  const listing = outcomes.length > 0 ? {} : { lines: FAULT_KINDS };
  return html`<a href="${portfolioAddress(name, outcomes.length > 0 ? { outcomes } : {}, listing)}">${count(lines)}</a>`;
}

/** The time until no row of the portfolio is open; for a finished portfolio, when that was and how long it took. */
function timeWords(
  { state, imports, ownPerS }: PortfolioLook,
  left: string,
  open: number,
  calls: { fewest: number; most: number },
): Html {
  if (open === 0 && !state.importing) {
    if (state.finishedMs === undefined) return html``;
    // The duration is counted from the last import, since the portfolio itself may be years old.
    const begunMs = Math.max(state.startedMs ?? 0, ...imports.map(({ lastMs }) => lastMs));
    const seconds = (state.finishedMs - begunMs) / 1_000;
    // A clock that was set back meanwhile measures no time.
    const took = seconds >= 0 && html`, ${lasted(seconds)} after its last import`;
    const { held, refused, done, skipped } = state.states;
    const isFinished = held === 0 && done + skipped + refused > 0;
    return html`<b>${isFinished ? t`Finished` : t`Nothing left to send since`}</b> ${moment(state.finishedMs)}${took}${refused > 0 && withNumbers(t`; ${grouped(refused)} rejected`)}.`;
  }
  const range =
    calls.fewest === calls.most ? grouped(calls.most) : t`${grouped(calls.fewest)} to ${grouped(calls.most)}`;
  const own =
    ownPerS === undefined || ownPerS < 0.05
      ? ''
      : t`, some ${ownPerS < 1 ? t`${Math.round(ownPerS * 60)} a minute` : t`${ownPerS >= 10 ? Math.round(ownPerS) : ownPerS.toFixed(1)} a second`} in this portfolio`;
  const time = left === '' ? (state.paused === undefined ? t`not known yet` : t`paused`) : left;
  return html`<b>Time left</b> ${time}; ${range} calls left${own}.`;
}

function lasted(seconds: number): string {
  if (seconds < 90) return t`${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  return seconds < 5_400 ? t`${Math.round(seconds / 60)} min` : t`${(seconds / 3_600).toFixed(1)} h`;
}

/** The most causes that the page shows, since nobody reads more; the rows of other causes can be found by their state. */
export const CAUSES_SHOWN = 20;

const MEANINGS: Readonly<Record<string, string>> = {
  refused: t`rejected`,
  unknown: t`needs an answer`,
  'put off': t`postponed too often`,
  other: t`made for another line`,
  ours: t`error in Limitline`,
};

/** Why rows failed: the cause with most rows first, each with the actions for all of its rows. */
export function renderCauses(portfolio: Named, causes: readonly ShownCause[], rights: Rights): Html {
  const { name } = portfolio;
  if (causes.length === 0) return html`<p class="quiet">No row has failed.</p>`;
  const rest = causes.slice(CAUSES_SHOWN);
  const restRows = rest.reduce((sum, { rows }) => sum + rows, 0);
  return html`<ol class="causes">${causes.slice(0, CAUSES_SHOWN).map((cause) => renderCause(portfolio, cause, rights))}</ol>
    ${rest.length > 0 && html`<p class="quiet">${withNumbers(countWords(rest.length, 'more cause'))} of ${withNumbers(countWords(restRows, 'row'))}. ${commandLine(`npx limitline report ${shellWord(name)} --causes`)}</p>`}`;
}

/** A portfolio's name, and the currency of its sums where all files name the same one. */
type Named = { name: string; currency: string | undefined };

function renderCause({ name, currency }: Named, cause: ShownCause, rights: Rights): Html {
  const { id, step, meaning, status, rows, sum, sample } = cause;
  const words = shownCause(cause);
  const isHeld = meaning === 'unknown';
  const of = { cause: id };
  const label = words === '' ? t`${meaning} at ${translated(step)}` : words;
  return html`<li class="cause">
    <p class="cause-count"><a href="${portfolioAddress(name, of)}">${withNumbers(countWords(rows, 'row'))}</a> ${moneyPart({ amount: sum, currency })}</p>
    <div>
      <p>${stateBadge(isHeld ? 'held' : 'refused', `${MEANINGS[meaning] ?? meaning}${status === null ? '' : t` · status ${status}`}`)} <span class="quiet">at ${translated(step)}</span></p>
      <p class="cause-text">${words === '' ? html`<span class="quiet">no reason given</span>` : html`<q>${words}</q>`}</p>
      <p class="cause-way">${sample && html`<a href="${below(name, 'rows', sample.row.key)}">For example line ${sample.line}</a>`} ${commandLine(commandOf(name, cause))}</p>
    </div>
    <div class="actions">
      ${
        isHeld
          ? can(rights, 'GET /portfolios/:name/held') &&
            linkButton({
              href: below(name, 'held'),
              words: t`Answer…`,
              label: t`Answer for the rows held for: ${label}`,
            })
          : can(rights, 'GET /plans/new', 'retry') &&
            linkButton({
              href: planAddress(name, 'retry', of),
              words: t`Send again…`,
              dialog: true,
              label: t`Send again the rows rejected for: ${label}`,
            })
      }
      ${!isHeld && can(rights, 'POST /nightly/rules') && linkButton({ href: `${AUTOMATION}?${new URLSearchParams({ cause: id, portfolio: name })}#new-rule`, words: t`Each night…`, kind: 'quiet', label: t`Send again each night the rows rejected for: ${label}` })}
      ${!isHeld && can(rights, 'GET /portfolios/:name/downloads/:file') && linkButton({ href: `${below(name, 'downloads', 'errors.csv')}?cause=${encodeURIComponent(id)}`, words: t`Export`, kind: 'quiet', download: true, label: t`Export the rows that failed for: ${label}` })}
      ${!isHeld && can(rights, 'GET /plans/new', 'cancel') && linkButton({ href: planAddress(name, 'cancel', of), words: t`Cancel…`, kind: 'quiet', dialog: true, label: t`Cancel the rows rejected for: ${label}` })}
    </div>
  </li>`;
}

function commandOf(name: string, { id, meaning }: ShownCause): string {
  if (meaning === 'unknown') return `npx limitline report ${shellWord(name)} --state held --like-input --out held.csv`;
  return `npx limitline retry ${shellWord(name)} --cause ${id}`;
}

const STEP_WORDS: Readonly<Record<Step, string>> = { company: t`Company`, documents: t`Documents`, limit: t`Limit` };

/** The progress of the rows: waiting, at each step, answered. Each stage is a card with a bar of its share. */
export function renderFunnel(steps: readonly FunnelStep[], { states }: Pick<PortfolioState, 'states'>): Html {
  const rows = Object.values(states).reduce((sum, count) => sum + count, 0);
  const answered = rowsIn(states, GRANTED_STATES);
  // In a finished portfolio no row waits or is at a step: the stage of waiting is left out, and a step shows the rows that passed it.
  const isOver = openRows({ states }) + states.awaiting === 0;
  return html`<ol class="funnel">
    ${!isOver && stage({ name: t`Waiting`, state: 'queued', here: states.queued, rows, hints: waitingHints(states) })}
    ${steps.map(({ step, at, past, stopped, calls }) =>
      stage({
        name: STEP_WORDS[step],
        state: step,
        here: isOver ? past : at,
        words: isOver ? (past === 1 ? t`row` : t`rows`) : t`rows here now`,
        rows,
        share: past,
        hints: [
          isOver ? t`past it` : t`${grouped(past)} past it`,
          ...(stopped > 0 ? [t`${grouped(stopped)} stopped here`] : []),
          t`${countWords(calls, 'call')} sent`,
        ],
      }),
    )}
    ${stage({
      name: t`Answered`,
      state: 'done',
      here: answered,
      words: answered === 1 ? t`row` : t`rows`,
      rows,
      share: answered,
      hints: [t`${grouped(states.done)} done`, t`${grouped(states.skipped)} requested before`],
    })}
  </ol>`;
}

function waitingHints({ awaiting }: PortfolioState['states']): string[] {
  const waits = awaiting > 0 ? [t`${grouped(awaiting)} more for approval`] : [];
  return [t`not started yet`, ...waits];
}

function stage(given: {
  name: string;
  state: 'queued' | Step | 'done';
  here: number;
  words?: string;
  rows: number;
  share?: number;
  hints: readonly string[];
}): Html {
  const { name, state, here, words = t`rows here now`, rows, share = here, hints } = given;
  const width = rows === 0 ? 0 : Math.max(share > 0 ? 2 : 0, Math.round((share / rows) * 100));
  return html`<li>
    <h3 class="funnel-name">${stateShape(state)}${name}</h3>
    <p class="funnel-here">${count(here)}<span class="unseen"> ${words}</span></p>
    <svg class="funnel-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect width="100" height="4"/><rect class="state-${state}" width="${width}" height="4"/></svg>
    <p class="funnel-hints">${hints.map((hint) => html`<span>${withNumbers(hint)}</span> `)}</p>
  </li>`;
}
