import { KINDS } from '../../../call-kind.ts';
import { grouped } from '../../../counted.ts';
import { sumsByCurrency } from '../../../ledger/counts/outcome-sums.ts';
import { answeredWords, elsewhereWords } from '../../../ledger/plans/plan.ts';
import { BEFORE_YES } from '../../../ledger/schema/approval.ts';
import { rowIdOf } from '../../../ledger/schema/schema.ts';
import type { HeldPlan } from '../../../ledger/story/held-plan.ts';
import { countWords, type Html, type HtmlValue, html, t } from '../../html/html.ts';
import { notice, pageHead, panel, table } from '../../parts/blocks.ts';
import { stats } from '../../parts/figures.ts';
import { button, form, hidden, linkButton } from '../../parts/form.ts';
import { count, cutWords, moment, money, theirWords, withNumbers } from '../../parts/text.ts';
import { rowAddress } from '../addresses.ts';
import { heldAddress } from './held-page.ts';

type Answered = HeldPlan['of'][number];

/** The longest name of a file, in characters, that is kept on one line. */
const SHORT = 30;

/** The most lines that a table shows; further ones are only counted. */
const MOST_SHOWN = 200;

/** A plan with its confirm button. Without the button: what is wrong with the answers, or that they would change nothing. */
export function planPage({ plan, changed = false, csrf }: { plan: HeldPlan; changed?: boolean; csrf: string }): Html {
  const { portfolio, fileName, of, silent, late, problems } = plan;
  const desk = heldAddress(portfolio);
  return html`${pageHead({
    title: fileName === undefined ? t`What would follow` : html`What ${fileName} would do`,
    trail: [{ href: desk, words: t`Held` }],
    lead: html`Nothing was done yet.${silent > 0 && withNumbers(t` ${countWords(silent, 'line')} without an answer would change nothing.`)}`,
  })}
  ${changed && notice('warn', t`Something has changed since this plan was made, so nothing was done. This is what would follow now.`, { urgent: true })}
  ${late > 0 && notice('warn', withNumbers(t`${countWords(late, 'answer is', 'answers are')} left out: somebody, or the service, has answered meanwhile, or it was sent again.`))}
  ${problems.length > 0 ? problemsPart(plan, desk) : of.length === 0 ? nothingPart(plan, desk) : questionPart(plan, desk, csrf)}
  ${of.length > 0 && linesPart(plan)}`;
}

/** The question whether the answers are right: what they would cost, and the button that confirms them. */
function questionPart(
  { id, fileName, back, of, elsewhere, approvals, paused }: HeldPlan,
  desk: string,
  csrf: string,
): Html {
  const made = of.filter((one) => one.made !== undefined);
  const again = of.filter((one) => one.made === undefined);
  const row = rowIdOf(of[0]?.row ?? '');
  const leave = back === 'row' && row ? rowAddress(row) : back === 'portfolio' ? heldAddress(row?.portfolio) : desk;
  const likely = answeredWords(again.filter(({ answered }) => answered !== undefined).length);
  const strange = of.filter((one) => one.strange !== undefined).length;
  const warned = [
    ...(strange > 0 ? [t`${countWords(strange, 'id looks', 'ids look')} unlike the others: compare again.`] : []),
    ...paused.map((name) => t`“${name}” is paused: nothing of it goes before it is resumed on its page.`),
    ...elsewhereWords(elsewhere),
  ];
  return panel({
    title: t`Is that so?`,
    body: html`${stats([
      ...(made.length > 0 ? [{ label: t`Exist`, value: grouped(made.length), hint: sumWords(made) }] : []),
      ...(again.length > 0
        ? [{ label: t`Not made: asked for again`, value: grouped(again.length), hint: sumWords(again) }]
        : []),
    ])}
    ${again.length > 0 && notice('warn', html`${withNumbers(thingsOf(again))} ${again.length === 1 ? t`is` : t`are`} asked for again, ${sumWords(again)}. What the service did make of it then exists twice, and costs twice.${withNumbers(likely.map((words) => ` ${words}`).join(''))}`, { title: t`Real money.` })}
    ${approvals.length > 0 && notice('warn', withNumbers(t`${whyWaits(of, approvals)} Once you confirm it, ${BEFORE_YES}.`), { title: t`A colleague must approve this first.` })}
    ${warned.length > 0 && notice('warn', withNumbers(warned.join(' ')))}
    <div class="held-yes" data-module="posted" data-instead="${leave}"><p class="quiet" hidden role="status">Held requests were answered meanwhile, or others came: this plan may be old.</p>${form(
      {
        action: `${fileName === undefined ? '/held' : desk}/confirm`,
        csrf,
        class: 'inline-form',
        body: html`${hidden('plan', id)}${yesButton(of, approvals)} ${linkButton({ href: leave, words: t`Leave it`, back: true })}`,
      },
    )}</div>`,
  });
}

function linesPart({ of }: HeldPlan): Html {
  return panel({
    title: t`Line by line`,
    body: html`${table({
      caption: t`What is said of each held row, and what follows`,
      rows: of.slice(0, MOST_SHOWN),
      columns: [
        { head: t`Line`, kind: 'number', cell: ({ line }) => line },
        { head: t`Buyer`, names: true, cell: ({ name }) => theirWords(cutWords(name)) },
        {
          head: t`File`,
          cell: ({ import: file }) => html`<span class="${file.length <= SHORT && 'nowrap'}">${file}</span>`,
          wideOnly: true,
        },
        { head: t`Amount`, kind: 'amount', cell: amountOf },
        { head: t`Asked on`, cell: (one) => askedWords(one) },
        { head: t`Answer`, kind: 'id', cell: answerWords },
        { head: t`What follows`, cell: (one) => html`<span>${followsWords(one)}</span>` },
      ],
    })}${of.length > MOST_SHOWN && html`<p class="hint">And ${count(of.length - MOST_SHOWN)} more.</p>`}`,
  });
}

const amountOf = ({ requested_limit: amount, currency }: Answered) => money({ amount, currency });

function sumWords(of: readonly Answered[]): Html {
  const sums = sumsByCurrency(of.map(({ requested_limit: amount, currency }) => ({ amount, currency })));
  return html`${sums.map((sum, place) => html`${place > 0 && t` and `}${money(sum)}`)}`;
}

/** The things that the answers are about, by kind of call: `2 limits, 1 company`. */
function thingsOf(of: readonly Answered[]): string {
  const kinds = [...Map.groupBy(of, ({ kind }) => kind)];
  return kinds.map(([kind, { length }]) => countWords(length, kind, KINDS[kind].several)).join(', ');
}

const portfolioOf = ({ row }: Answered) => rowIdOf(row)?.portfolio;

/** Why a colleague must approve answers of the plan first; where it has several portfolios, for each of them. */
function whyWaits(of: readonly Answered[], approvals: HeldPlan['approvals']): string {
  const isOfOne = new Set(of.map(portfolioOf)).size === 1;
  return approvals.map(({ portfolio, why }) => (isOfOne ? why : t`“${portfolio}”: ${why}`)).join(' ');
}

/** The button that confirms the plan. It names what happens at once, and asks a colleague for the rest. */
function yesButton(of: readonly Answered[], approvals: HeldPlan['approvals']): Html {
  const waiting = new Set(approvals.map(({ portfolio }) => portfolio));
  const atOnce = of.filter((one) => !waiting.has(portfolioOf(one) ?? ''));
  const again = atOnce.filter((one) => one.made === undefined);
  if (atOnce.length === 0) return button({ words: t`Ask a colleague to approve it`, kind: 'primary' });
  const yes = yesWords(
    atOnce.filter((one) => one.made !== undefined),
    again,
  );
  const rest = atOnce.length < of.length && t`; ask a colleague to approve the rest`;
  return button({ words: html`${yes}${rest}`, kind: again.length > 0 ? 'danger' : 'primary' });
}

function yesWords(made: readonly Answered[], again: readonly Answered[]): HtmlValue {
  const [one, ...others] = made;
  const exist = others.length === 0 ? t`Confirm that ${one?.made} exists` : t`Confirm that ${made.length} exist`;
  if (again.length === 0) return exist;
  const resend = html`ask again for ${thingsOf(again)}, ${sumWords(again)}`;
  return made.length === 0 ? html`Not made: ${resend}` : html`${exist}, and ${resend}`;
}

function askedWords({ sentMs, heldMs }: Answered): Html {
  return html`<span>${sentMs === undefined && 'before '}${moment(sentMs ?? heldMs)}</span>`;
}

function answerWords({ made, strange }: Answered): Html {
  return html`<span>${made ?? t`not made`}${strange !== undefined && html`<small class="under problem">${strange}</small>`}</span>`;
}

/** The action of Limitline after an answer, as a text: it writes the given id down, or sends the call again. */
function followsWords(one: Answered): Html {
  const { kind, made } = one;
  const limit = html`the limit of ${amountOf(one)} is requested`;
  if (made === undefined) {
    if (kind === 'limit')
      return html`The limit of ${amountOf(one)} is requested again. What the service answers becomes the row’s result.`;
    return html`The ${kind} is sent again; then ${limit}.`;
  }
  const written = html`<code>${made}</code> is written as its ${kind}`;
  if (kind !== 'limit') return html`${written}; then ${limit}.`;
  return html`${written} of ${amountOf(one)}, and nothing is sent. What was granted stays unknown.`;
}

function problemsPart({ problems, fileName }: HeldPlan, desk: string): Html {
  return html`${notice('bad', withNumbers(t`Problems in ${countWords(problems.length, 'line')} of the file: nothing was done. Correct the file, and send it again.`))}
    ${table({
      caption: t`What is wrong with ${fileName}`,
      rows: problems.slice(0, MOST_SHOWN),
      columns: [
        { head: t`Line of the file`, kind: 'number', cell: ({ at }) => at },
        { head: t`Problem`, names: true, cell: ({ message }) => message },
      ],
    })}
    ${backLink(desk)}`;
}

function nothingPart({ fileName }: HeldPlan, desk: string): Html {
  const words =
    fileName === undefined
      ? html`None of these requests needs this answer any more.`
      : html`The file says nothing of any held row: in its column <code>id</code> there is neither an id nor <code>resend</code>.`;
  return html`<p>${words}</p>${backLink(desk)}`;
}

function backLink(desk: string): Html {
  return html`<p data-module="posted" data-instead="${desk}">${linkButton({ href: desk, words: t`Back to what is held` })}</p>`;
}
