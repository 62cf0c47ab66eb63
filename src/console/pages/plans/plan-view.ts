import { CALL_KINDS, KINDS } from '../../../call-kind.ts';
import { grouped } from '../../../counted.ts';
import {
  answeredWords,
  elsewhereWords,
  type NamedOtherRequests,
  otherRequestsWords,
  type Plan,
  type PlanState,
} from '../../../ledger/plans/plan.ts';
import { BEFORE_YES } from '../../../ledger/schema/approval.ts';
import { visible } from '../../../portfolio/problem.ts';
import { can, type Rights } from '../../access/access.ts';
import { type Html, html } from '../../html/html.ts';
import { countWords, t } from '../../html/texts.ts';
import { facts, stats } from '../../parts/figures.ts';
import { button, form, linkButton } from '../../parts/form.ts';
import { emptyState, notice } from '../../parts/page-head.ts';
import { commandLine, timeAgo, withNumbers } from '../../parts/text.ts';
import { portfolioAddress } from '../addresses.ts';
import { money } from '../held/held-page.ts';
import { actionWords, commandOf, filterWords, rowsWords, timeWords } from './plan-words.ts';

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
  const parts = [...thingsOf(calls), ...limits];
  return isLookedUp
    ? parts.join(', ')
    : t`at most ${parts.join(', ')}, and documents that were not sent yet; nothing is made twice`;
}

function madeWords({ made, action }: Plan): string {
  if (action === 'cancel') return '';
  const parts = thingsOf(made);
  return parts.length === 0 ? '' : t`${parts.join(', ')}, which exist already`;
}

/** `2 documents`, `1 limit`: calls by kind; kinds with none are left out. */
function thingsOf(calls: Plan['calls']): string[] {
  const some = CALL_KINDS.filter((kind) => calls[kind] > 0);
  return some.map((kind) => countWords(calls[kind], kind, KINDS[kind].several));
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
  return notice('warn', lines, { title: t`Some buyers have another request.` });
}
