import { grouped, moneyText } from '../../../counted.ts';
import type { PlanState } from '../../../ledger/plans/plan.ts';
import { can, type Rights } from '../../access/access.ts';
import { type Html, html } from '../../html/html.ts';
import { countWords, t } from '../../html/texts.ts';
import { facts, progressBar } from '../../parts/figures.ts';
import { actionButton, linkButton } from '../../parts/form.ts';
import { notice } from '../../parts/page-head.ts';
import { commandLine, count, moment, withNumbers } from '../../parts/text.ts';
import { approvalAddress, planAddress, portfolioAddress } from '../addresses.ts';
import { actionWords, asksForUnsent, commandOf, filterWords } from './plan-words.ts';

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
      {
        term: state.waits === undefined ? actionWords(plan).done(t`Rows`) : t`Rows that wait`,
        what: count(done),
      },
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
  return notice(
    'info',
    html`Sending these rows needs another person’s approval. Nothing was sent. ${why} <a href="${approvalAddress(approval)}">See what waits</a>`,
    { title: t`It waits for approval.` },
  );
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
      return notice('info', t`All planned rows have changed since the plan was made.`, {
        title: t`Nothing was done.`,
      });
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
