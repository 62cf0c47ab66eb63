import { counted, grouped } from '../../../counted.ts';
import type { PlanState } from '../../../ledger/plans/plan.ts';
import { moneyText } from '../../../money-text.ts';
import { can, type Rights } from '../../access/access.ts';
import { type Html, html } from '../../html/html.ts';
import { facts, progressBar } from '../../parts/figures.ts';
import { actionButton, linkButton } from '../../parts/form.ts';
import { notice } from '../../parts/page-head.ts';
import { commandLine, moment } from '../../parts/text.ts';
import { approvalAddress } from '../addresses.ts';
import { againOf, portfolioAddressOf } from './plan-view.ts';
import { ACTION_WORDS, commandOf, filterWords } from './plan-words.ts';

/** The title of a confirmed plan. */
export function outcomeTitle({ plan, standing, done, waits }: PlanState): string {
  const words = ACTION_WORDS[plan.action];
  if (plan.action !== 'cancel' && waits !== undefined && standing === 'ended') {
    return `${counted(done, 'row')} ${done === 1 ? 'waits' : 'wait'} for approval`;
  }
  if (standing === 'running') return words.goesOn;
  if (standing === 'stopped') return 'Stopped before the end';
  if (standing === 'expired') return 'Too old to be confirmed';
  return words.done(counted(done, 'row'));
}

/** Progress and outcome of a confirmed plan; in events without a CSRF token, since all viewers get the same text. */
export function outcomeBody(state: PlanState, { csrf = '', rights }: { csrf?: string; rights: Rights }): Html {
  const command = commandOf(state.plan);
  const { plan, standing, done, came, underWay, confirmedMs, confirmedBy, endedMs } = state;
  return html`
    ${STANDING[standing](state)}
    ${facts([
      {
        term: 'Planned',
        what: `${plan.isExact ? '' : 'at least '}${counted(plan.rows, 'row')}, ${moneyText(plan.sum, plan.currency)}`,
      },
      { term: 'Which rows', what: filterWords(plan).join('; ') },
      {
        term: state.waits === undefined ? ACTION_WORDS[plan.action].done('Rows') : 'Rows that wait',
        what: grouped(done),
      },
      ...(underWay > 0
        ? [{ term: 'On their way', what: `${counted(underWay, 'call')}: the answer decides how the row ends` }]
        : []),
      ...(standing === 'ended' ? [{ term: 'Left as they are', what: leftWords(state) }] : []),
      ...(standing === 'running' && came > 0 ? [{ term: 'Left as they are so far', what: counted(came, 'row') }] : []),
      ...(confirmedMs === undefined
        ? []
        : [
            {
              term: 'Confirmed',
              what: html`${moment(confirmedMs)} by ${confirmedBy}${endedMs !== undefined && html`, done ${moment(endedMs)}`}`,
            },
          ]),
      ...(command === undefined ? [] : [{ term: '', what: commandLine(command, 'As a command:') }]),
    ])}
    <div class="actions">
      ${standing === 'stopped' && can(rights, 'POST /plans/:id/confirm', plan.action) && actionButton({ action: `/plans/${plan.id}/confirm`, csrf, words: 'Continue', kind: 'primary' })}
      ${standing === 'expired' && can(rights, 'GET /plans/new', plan.action) && linkButton({ href: againOf(plan), words: 'Plan it again', kind: 'primary' })}
      ${linkButton({ href: `/portfolios/${encodeURIComponent(plan.portfolio)}`, words: `To ${plan.portfolio}` })}
      ${standing === 'ended' && came > 0 && linkButton({ href: portfolioAddressOf(plan), words: 'See these rows' })}
    </div>`;
}

/** Says that the rows wait for approval, with a link. */
function waitsPart(approval: string, why = ''): Html {
  return notice(
    'info',
    html`Sending this again needs another person’s approval. Nothing was sent. ${why} <a href="${approvalAddress(approval)}">See what waits</a>`,
    { title: 'It waits for approval.' },
  );
}

const STANDING: Readonly<Record<PlanState['standing'], (state: PlanState) => Html | false>> = {
  open: () => false,
  running: ({ plan, done }) =>
    progressBar({
      label: ACTION_WORDS[plan.action].goesOn,
      done: Math.min(done, plan.rows),
      total: Math.max(1, plan.rows),
      words: `${grouped(done)} of ${grouped(plan.rows)}`,
    }),
  ended: ({ plan, paused, waits, why, done, underWay }) => {
    if (waits !== undefined) return waitsPart(waits, why);
    if (done + underWay === 0 && !plan.supplier) {
      return notice('info', 'All planned rows have changed since the plan was made.', {
        title: 'Nothing was done.',
      });
    }
    return notice(
      'good',
      plan.action === 'cancel'
        ? 'Nothing more is sent for them. They can be sent again later: find them by the outcome “not sent”.'
        : (paused ?? 'The rows are being sent again.'),
      { title: 'Done.' },
    );
  },
  stopped: ({ plan, done }) =>
    notice(
      'warn',
      `It stopped after ${grouped(done)} of ${counted(plan.rows, 'row')}. Continue to do the rest; nothing is done twice.`,
    ),
  expired: () =>
    notice('info', 'A plan can be confirmed for 15 minutes: the portfolio may have changed. Nothing was done.'),
};

/** Why fewer rows were changed than planned, and how many new rows match the filter by now. */
function leftWords({ plan, done, came, underWay }: PlanState): string {
  const changed = Math.max(0, plan.rows - done - underWay);
  const parts = [
    ...(changed > 0 ? [`${counted(changed, 'planned row')} had changed since`] : []),
    ...(came > 0 ? [`${counted(came, 'row')} added or changed meanwhile`] : []),
  ];
  return parts.length === 0 ? 'none' : parts.join('; ');
}
