import { grouped, moneyText } from '../../../counted.ts';
import type { NamedOtherRequests, Plan, PlanState } from '../../../ledger/plans/plan.ts';
import { answeredWords, elsewhereWords, otherRequestsWords } from '../../../ledger/plans/plan.ts';
import { thingsOf } from '../../../ledger/portfolios/proof.ts';
import { BEFORE_YES } from '../../../ledger/schema/approval.ts';
import { visible } from '../../../portfolio/problem.ts';
import { can, type Rights } from '../../access/access.ts';
import { countWords, type Html, html, t } from '../../html/html.ts';
import { emptyState, notice } from '../../parts/blocks.ts';
import { facts, progressBar, stats } from '../../parts/figures.ts';
import { actionButton, button, form, linkButton } from '../../parts/form.ts';
import { commandLine, count, moment, money, timeAgo, withNumbers } from '../../parts/text.ts';
import { approvalAddress, planAddress, portfolioAddress } from '../addresses.ts';
import { actionWords, asksForUnsent, commandOf, filterWords, rowsWords, timeWords } from './plan-words.ts';

export function planTitle(plan: Plan): string {
  const { action, rows, filter, isExact, whole, portfolio } = plan;
  if (rows === 0) return NOTHING_TO[action];
  if (whole) return t`Cancel all rows of “${portfolio}” that are not sent?`;
  return actionWords(plan).question(rowsWords(rows, filter, isExact));
}

const NOTHING_TO: Readonly<Record<Plan['action'], string>> = {
  retry: t`No rows to send again`,
  cancel: t`No rows to cancel`,
  resend: t`No unanswered row to send again`,
};

/** A plan with its confirm button, without its title (see `planTitle`). */
export function planBody(
  { plan, paused, others }: Pick<PlanState, 'plan' | 'paused' | 'others'>,
  { csrf, rights }: { csrf: string; rights: Rights },
): Html {
  const command = commandOf(plan);
  if (plan.rows === 0) return nothingBody(plan);
  const { action, rows, sum, currency, filter, isExact, seconds, whole } = plan;
  const named = rowsWords(rows, filter, isExact);
  return html`
    ${stats([
      { label: t`Rows`, value: `${isExact ? '' : '≥ '}${grouped(rows)}` },
      { label: t`Their amounts`, value: html`${isExact ? '' : '≥ '}${money({ amount: sum, currency })}` },
      ...(action === 'cancel'
        ? []
        : [callsStat(plan), { label: t`Time needed`, value: timeWords(seconds), hint: paceHint(plan) }]),
    ])}
    ${action === 'resend' && notice('warn', [t`What exists at the service already is then made twice. Ask the service first.`, ...answeredWords(plan.answered).map((words) => withNumbers(` ${words}`))], { title: t`These requests may exist already.` })}
    ${others !== undefined && otherRequestsNotice(others)}
    ${plan.approval !== undefined && notice('warn', withNumbers(t`${plan.approval} Once you confirm it, ${BEFORE_YES}.`), { title: t`A colleague must approve this first.` })}
    ${paused !== undefined && action !== 'cancel' && notice('warn', paused)}
    ${plan.elsewhere !== undefined && notice('warn', withNumbers(elsewhereWords(plan.elsewhere).join(' ')))}
    ${facts([
      { term: t`Which rows`, what: withNumbers(filterWords(plan).join('; ')) },
      ...(plan.supplier ? [{ term: t`Sent again with them`, what: t`the company of the supplier` }] : []),
      ...(action === 'cancel' ? [] : [{ term: t`Calls`, what: callsWords(plan) }]),
      ...(madeWords(plan) === '' ? [] : [{ term: t`Not made again`, what: madeWords(plan) }]),
      { term: t`If rows change`, what: meanwhileWords(plan) },
      ...(command === undefined ? [] : [{ term: '', what: commandLine(command, t`As a command:`) }]),
    ])}
    <div class="actions">
      ${
        can(rights, 'POST /plans/:id/confirm', action) &&
        form({
          action: `/plans/${plan.id}/confirm`,
          csrf,
          class: 'inline-form',
          body: button({
            words: whole ? t`Cancel them` : actionWords(plan).button(named),
            kind: action === 'retry' ? 'primary' : 'danger',
          }),
        })
      }
      <a class="button is-quiet" href="${portfolioAddress(plan.portfolio, plan.filter)}" data-close="">Not now</a>
      <span class="hint">Rows counted ${timeAgo(plan.atMs)}. You can confirm this once, within 15 minutes.</span>
    </div>`;
}

function nothingBody(plan: Plan): Html {
  return emptyState({
    title: t`Nothing was changed.`,
    words: t`${plan.portfolio} has no such rows now: ${filterWords(plan).join('; ') || t`none can be changed in this way`}.`,
    next: linkButton({ href: `/portfolios/${encodeURIComponent(plan.portfolio)}`, words: t`To the portfolio` }),
  });
}

function callsStat({ calls, isLookedUp }: Plan): { label: string; value: string; hint: string } {
  const all = calls.company + calls.document + calls.limit;
  return {
    label: t`Calls`,
    value: `${isLookedUp ? '' : '≤ '}${grouped(all)}`,
    hint: isLookedUp ? t`exact` : t`at most`,
  };
}

function paceHint({ seconds }: Plan): string {
  return seconds === null ? t`known once requests are being sent` : t`at the speed of the latest calls`;
}

function callsWords({ calls, isLookedUp }: Plan): string {
  const limits = calls.limit > 0 ? [] : [countWords(0, 'limit')];
  const parts = [...thingsOf(calls, countWords), ...limits];
  return isLookedUp
    ? parts.join(', ')
    : t`at most ${parts.join(', ')}, and documents that were not sent yet; nothing is made twice`;
}

function madeWords({ made, action }: Plan): string {
  if (action === 'cancel') return '';
  const parts = thingsOf(made, countWords);
  return parts.length === 0 ? '' : t`${parts.join(', ')}, which exist already`;
}

function meanwhileWords({ action, whole }: Plan): string {
  if (whole) return t`everything that is open when you confirm is cancelled; requests on their way are still answered`;
  const left = t`rows that change before you confirm are left as they are, and you see how many`;
  return action === 'cancel' ? t`${left}; a request on its way is still answered` : left;
}

/** Warns that buyers have another request, so that second limits would be requested. */
export function otherRequestsNotice(others: NamedOtherRequests, advice?: string): Html {
  const lines = otherRequestsWords(others, advice).map((line, at) => [
    at > 0 && html`<br>`,
    withNumbers(visible(line)),
  ]);
  const title = others.isAlike
    ? t`Some buyers may have another request under another name or number.`
    : t`Some buyers have another request.`;
  return notice('warn', lines, { title });
}

export function outcomeTitle({ plan, standing, done, waits }: PlanState): string {
  const words = actionWords(plan);
  if (plan.action !== 'cancel' && waits !== undefined && standing === 'ended') {
    return t`${countWords(done, 'row waits', 'rows wait')} for approval`;
  }
  if (standing === 'running') return words.goesOn;
  if (standing === 'stopped') return t`Stopped before the end`;
  if (standing === 'expired') return t`Too old to be confirmed`;
  return words.done(countWords(done, 'row'));
}

/** Progress and outcome of a confirmed plan; in events without a CSRF token, since all viewers get the same text. */
export function outcomeBody(state: PlanState, { csrf = '', rights }: { csrf?: string; rights: Rights }): Html {
  const command = commandOf(state.plan);
  const { plan, standing, done, came, underWay, confirmedMs, confirmedBy, endedMs } = state;
  return html`
    ${STANDING[standing](state)}
    ${facts([
      {
        term: t`Planned`,
        what: withNumbers(
          `${plan.isExact ? '' : t`at least `}${countWords(plan.rows, 'row')}, ${moneyText(plan.sum, plan.currency)}`,
        ),
      },
      { term: t`Which rows`, what: withNumbers(filterWords(plan).join('; ')) },
      { term: state.waits === undefined ? actionWords(plan).done(t`Rows`) : t`Rows that wait`, what: count(done) },
      ...(underWay > 0
        ? [
            {
              term: t`On their way`,
              what: withNumbers(t`${countWords(underWay, 'call')}: the answer decides how the row ends`),
            },
          ]
        : []),
      ...(standing === 'ended' ? [{ term: t`Left as they are`, what: withNumbers(leftWords(state)) }] : []),
      ...(standing === 'running' && came > 0
        ? [{ term: t`Left as they are so far`, what: withNumbers(countWords(came, 'row')) }]
        : []),
      ...(confirmedMs === undefined
        ? []
        : [
            {
              term: t`Confirmed`,
              what: html`${moment(confirmedMs)} by ${confirmedBy}${endedMs !== undefined && html`, done ${moment(endedMs)}`}`,
            },
          ]),
      ...(command === undefined ? [] : [{ term: '', what: commandLine(command, t`As a command:`) }]),
    ])}
    <div class="actions">
      ${standing === 'stopped' && can(rights, 'POST /plans/:id/confirm', plan.action) && actionButton({ action: `/plans/${plan.id}/confirm`, csrf, words: t`Continue`, kind: 'primary' })}
      ${standing === 'expired' && can(rights, 'GET /plans/new', plan.action) && linkButton({ href: planAddress(plan.portfolio, plan.action, plan.filter), words: t`Plan it again`, kind: 'primary' })}
      ${linkButton({ href: `/portfolios/${encodeURIComponent(plan.portfolio)}`, words: t`To ${plan.portfolio}` })}
      ${standing === 'ended' && came > 0 && linkButton({ href: portfolioAddress(plan.portfolio, plan.filter), words: t`See these rows` })}
    </div>`;
}

/** Says that the rows wait for approval, with a link. */
function waitsPart(approval: string, why = ''): Html {
  const words = html`Sending these rows needs another person’s approval. Nothing was sent. ${why} <a href="${approvalAddress(approval)}">See what waits</a>`;
  return notice('info', words, { title: t`It waits for approval.` });
}

const STANDING: Readonly<Record<PlanState['standing'], (state: PlanState) => Html | false>> = {
  open: () => false,
  running: ({ plan, done }) =>
    progressBar({
      label: actionWords(plan).goesOn,
      done: Math.min(done, plan.rows),
      total: Math.max(1, plan.rows),
      words: t`${grouped(done)} of ${grouped(plan.rows)}`,
    }),
  ended: ({ plan, paused, waits, why, done, underWay }) => {
    if (waits !== undefined) return waitsPart(waits, why);
    if (done + underWay === 0 && !plan.supplier) {
      return notice('info', t`All planned rows have changed since the plan was made.`, { title: t`Nothing was done.` });
    }
    return notice(
      'good',
      plan.action === 'cancel'
        ? t`Nothing more is sent for them. They can be sent later: find them by the outcome “not sent”.`
        : (paused ?? (asksForUnsent(plan.filter) ? t`The rows are being sent.` : t`The rows are being sent again.`)),
      { title: t`Done.` },
    );
  },
  stopped: ({ plan, done }) =>
    notice(
      'warn',
      withNumbers(
        t`It stopped after ${grouped(done)} of ${countWords(plan.rows, 'row')}. Continue to do the rest; nothing is done twice.`,
      ),
    ),
  expired: () =>
    notice('info', t`A plan can be confirmed for 15 minutes: the portfolio may have changed. Nothing was done.`),
};

/** Why fewer rows were changed than planned, and how many new rows match the filter by now. */
function leftWords({ plan, done, came, underWay }: PlanState): string {
  const changed = Math.max(0, plan.rows - done - underWay);
  const parts = [
    ...(changed > 0 ? [t`${countWords(changed, 'planned row')} had changed since`] : []),
    ...(came > 0 ? [t`${countWords(came, 'row')} added or changed meanwhile`] : []),
  ];
  return parts.length === 0 ? 'none' : parts.join('; ');
}
