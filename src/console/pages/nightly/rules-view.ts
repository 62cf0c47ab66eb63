import { grouped } from '../../../counted.ts';
import { causeWords, MOST_NIGHTS, type RuleForm, ruleWords } from '../../../ledger/nightly/retry-rule.ts';
import { type CauseNow, type RuleNow, type RulesNow, ruleNightWords } from '../../../ledger/nightly/retry-rules.ts';
import { STEPS } from '../../../ledger/schema/row.ts';
import { countWords, type Html, html, t, translated } from '../../html/html.ts';
import { emptyState, notice, table } from '../../parts/blocks.ts';
import { actionButton, button, field, form, select } from '../../parts/form.ts';
import { commandLine, cutWords, moment, theirWords, withNumbers } from '../../parts/text.ts';

export type RuleFunctions = {
  look: () => Promise<RulesNow>;
  /** Makes a rule in this person's name and answers its id. @throws LimitlineError for an invalid rule */
  add: (form: RuleForm, by: string) => Promise<string>;
  /** Removes a rule; false where there is none. */
  remove: (id: string) => Promise<boolean>;
};

/** Causes that the form's select offers at most: more are hard to look through. The cause named in the address comes on top. */
const OFFERED = 50;

/** The most characters of a cause in the form's select: enough to tell it from others. */
const CAUSE_CHARACTERS = 80;

/** The number of nights that the form for a new rule suggests: a row that is refused on three nights needs a person. */
const NIGHTS = 3;

/**
 * The rules that retry refused rows at night, each with its rows and last run, and a form for another.
 *
 * @param given.asked the query of the address, unchecked: the rule to make, or the result of an action
 */
export function rulesSection(
  { rules, causes }: RulesNow,
  { csrf, mayChange, asked = {} }: { csrf: string; mayChange: boolean; asked?: Readonly<Record<string, unknown>> },
): Html {
  return html`${saidOf(asked)}
    <p class="quiet">A rule sends rejected rows again once a night, for a limited number of nights. Rows that need an answer, were declined or cancelled are never sent by a rule, nor is anything in a paused portfolio. Where approval is needed, a colleague of the person who made the rule has to give it.</p>
    ${table({
      caption: t`Rules for sending rejected rows again`,
      rows: rules,
      empty: emptyState({
        title: t`No rules yet.`,
        words: html`Rejected rows stay rejected until somebody sends them again. A rule does that at night, for example for rows sent while the service was closed. ${mayChange || commandLine(ADD)}`,
      }),
      columns: [
        { head: t`Rule`, names: true, cell: whichOf },
        { head: t`Nights`, kind: 'number', cell: ({ rule }) => rule.nights },
        { head: t`Applies to`, kind: 'number', cell: meansOf },
        { head: t`Last night`, cell: lastOf },
        ...(mayChange
          ? [{ head: t`Remove`, kind: 'actions' as const, cell: (one: RuleNow) => removeOf(one, csrf) }]
          : []),
      ],
    })}
    ${mayChange && addForm(causes, csrf, asked)}`;
}

const ADD = 'npx limitline rule add --cause ID --nights 3';

function saidOf({ rule }: Readonly<Record<string, unknown>>): Html {
  if (rule === 'added') return notice('good', t`The rule was added. It applies from the next night on.`);
  if (rule === 'removed') return notice('good', t`The rule was removed. It sends nothing any more.`);
  return html``;
}

function whichOf({ rule }: RuleNow): Html {
  return html`<div>Rows <bdi>${ruleWords(rule)}</bdi><span class="under">Rule <code>${rule.id}</code>, made ${moment(rule.madeMs)} by ${theirWords(rule.by)}</span></div>`;
}

/**
 * How many rows a rule retries at the most. Rows that were retried on all nights of the rule count, too: to leave them out, every
 * row would have to be read.
 */
function meansOf({ rows, portfolios }: RuleNow): Html {
  if (rows === 0) return html`<span class="quiet">no rows</span>`;
  return html`<div>up to ${withNumbers(countWords(rows, 'row'))}<span class="under">in ${withNumbers(countWords(portfolios, 'portfolio'))}</span></div>`;
}

function lastOf({ last }: RuleNow): Html {
  if (!last) return html`<span class="quiet">not yet</span>`;
  return html`<div>${ruleNightWords(last)}<span class="under">${moment(last.atMs)}</span></div>`;
}

function removeOf({ rule: { id } }: RuleNow, csrf: string): Html {
  return actionButton({
    action: `/nightly/rules/${id}/remove`,
    csrf,
    words: t`Remove`,
    label: t`Remove rule ${id}`,
    command: `npx limitline rule remove ${id}`,
  });
}

function addForm(causes: readonly CauseNow[], csrf: string, asked: Readonly<Record<string, unknown>>): Html {
  const [cause, portfolio] = [textOf(asked.cause), textOf(asked.portfolio)];
  const offered = causes.filter(({ id }, place) => place < OFFERED || id === cause);
  const options = offered.map((one) => ({ value: one.id, words: offerWords(one) }));
  const steps = STEPS.map((step) => ({ value: step, words: step }));
  const body = html`${select({
    label: t`Rows rejected for this cause`,
    name: 'cause',
    value: offered.some(({ id }) => id === cause) ? cause : '',
    options: [{ value: '', words: t`any, by the three fields below` }, ...options],
  })}
    <div class="filters">
    ${select({ label: t`Step`, name: 'step', value: '', options: [{ value: '', words: t`any` }, ...steps] })}
    ${field({ label: t`Status`, name: 'status', inputmode: 'numeric', maxlength: 3, plain: true, placeholder: t`any` })}
    ${field({ label: t`Message contains`, name: 'words', maxlength: 200, plain: true, placeholder: t`any` })}
    </div>
    <div class="filters">
    ${field({ label: t`Portfolio`, name: 'portfolio', value: portfolio, plain: true, placeholder: t`all` })}
    ${field({ label: t`Number of nights, 1 to ${MOST_NIGHTS}`, name: 'nights', value: String(NIGHTS), inputmode: 'numeric', required: true, maxlength: 2, plain: true })}
    </div>
    ${button({ words: t`Add the rule` })}`;
  return html`<details class="rule-form" id="new-rule" open="${cause !== ''}"><summary>Add a rule</summary>${form({ action: '/nightly/rules', csrf, body, label: t`Add a rule` })}</details>`;
}

/** A cause as an option: `12 rows in 2 portfolios, at limit: requested_limit is above … (status 400)`. */
function offerWords(cause: CauseNow): string {
  const { rows, portfolios, step } = cause;
  const where = portfolios.length === 1 ? cutWords(portfolios[0] ?? '') : t`${grouped(portfolios.length)} portfolios`;
  return t`${countWords(rows, 'row')} in ${where}, at ${translated(step)}: ${cutWords(causeWords({ ...cause, meaning: cause.meaning }), CAUSE_CHARACTERS)}`;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
