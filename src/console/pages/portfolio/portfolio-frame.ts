import { grouped } from '../../../counted.ts';
import { openRows } from '../../../ledger/counts/standing.ts';
import { UNFINISHED_STATES } from '../../../ledger/row.ts';
import { spansOf } from '../../../pace/samples.ts';
import type { Rights } from '../../access/access.ts';
import type { Right } from '../../access/access-table.ts';
import { can } from '../../access/can.ts';
import type { Frame } from '../../events/hub.ts';
import { type Html, html } from '../../html/html.ts';
import { actionButton, linkButton } from '../../parts/button.ts';
import { commandLine, shellWord } from '../../parts/command-line.ts';
import { notice } from '../../parts/notice.ts';
import { below, planAddress } from './addresses.ts';
import { renderCauses } from './causes-view.ts';
import { renderFigures } from './figures-view.ts';
import { renderFunnel } from './funnel-view.ts';
import { renderPaceChart } from './pace-chart.ts';
import { outlookOf, type PortfolioLook } from './portfolio-look.ts';
import { renderProof } from './proof-view.ts';
import { countsText } from './rows-view.ts';
import { waitsFor } from './waits-for.ts';

/**
 * The pieces of a portfolio's page that are kept fresh, by the id of the element that each stands in.
 *
 * @param given.rights of those who look: what they may not do is not offered to them
 * @param given.csrf of the page; none in what comes by events, since that is the same for everybody with the same rights
 */
export function portfolioFrame(look: PortfolioLook, { rights, csrf = '' }: { rights: Rights; csrf?: string }): Frame {
  const { state, causes } = look;
  const outlook = outlookOf(look);
  return [
    { id: 'portfolio-waits', html: renderWaits(look, rights) },
    { id: 'portfolio-figures', html: renderFigures(look, outlook) },
    { id: 'portfolio-actions', html: renderActions(look, { rights, csrf }) },
    { id: 'portfolio-funnel', html: renderFunnel(outlook.steps, state) },
    { id: 'portfolio-pace', html: renderPace(look) },
    { id: 'portfolio-causes', html: renderCauses(state.name, causes, rights) },
    { id: 'portfolio-proof', html: renderProof(look) },
    { id: 'rows-now', html: html`<span data-counts="${countsText(state)}"></span>` },
  ];
}

/** One piece of a frame, for the page that is made around it. */
export function pieceOf(frame: Frame, id: string): Html {
  return frame.find((one) => one.id === id)?.html ?? html``;
}

const HELD_DESK = { words: 'To the held desk', right: 'GET /portfolios/:name/held' } as const;
const WAYS: Readonly<Record<string, { words: string; right: Right }>> = {
  '/new': { words: 'Import it', right: 'GET /new' },
  '/work': { words: 'To the queues', right: 'GET /work' },
  '/approvals': { words: 'To the approvals', right: 'GET /approvals' },
};
const ONE_APPROVAL = { words: 'Look at it', right: 'GET /approvals/:id' } as const;

function renderWaits(look: PortfolioLook, rights: Rights): Html {
  const wayOf = (href: string) => {
    const way = WAYS[href] ?? (href.startsWith('/approvals/') ? ONE_APPROVAL : HELD_DESK);
    return can(rights, way.right) && html`<a href="${href}">${way.words}</a>`;
  };
  return html`${waitsFor(look).map(({ kind, title, words, command, href }) =>
    notice(kind, html`${words} ${href !== undefined && wayOf(href)}${command !== undefined && commandLine(command)}`, {
      title,
    }),
  )}`;
}

function renderActions({ state }: PortfolioLook, { rights, csrf }: { rights: Rights; csrf: string }): Html {
  const { name, paused, states } = state;
  const word = shellWord(name);
  const open = openRows(state);
  const pauses =
    paused === undefined
      ? open > 0 &&
        can(rights, 'POST /portfolios/:name/pause') &&
        actionButton({ action: below(name, 'pause'), csrf, words: 'Pause', command: `npx limitline pause ${word}` })
      : can(rights, 'POST /portfolios/:name/resume') &&
        actionButton({
          action: below(name, 'resume'),
          csrf,
          words: 'Resume',
          kind: 'primary',
          command: `npx limitline resume ${word}`,
        });
  const retry =
    states.refused > 0 &&
    can(rights, 'GET /plans/new', 'retry') &&
    planned(
      planAddress(name, 'retry', { states: ['refused'] }),
      `Retry ${grouped(states.refused)} refused…`,
      `npx limitline retry ${word}`,
    );
  const cancel =
    open + states.awaiting > 0 &&
    can(rights, 'GET /plans/new', 'cancel') &&
    planned(
      planAddress(name, 'cancel', { states: UNFINISHED_STATES }),
      'Cancel what is left…',
      `npx limitline cancel ${word}`,
      'danger',
    );
  return html`${pauses}${retry}${cancel}`;
}

function planned(href: string, words: string, command: string, kind: 'plain' | 'danger' = 'plain'): Html {
  return html`<div class="action">${linkButton({ href, words, kind, dialog: true })}${commandLine(command)}</div>`;
}

/** An hour at the most: what the samples have. */
const SHOWN_MS = 3_600_000;

function renderPace({ state, samples, nowMs }: PortfolioLook): Html {
  const end = openRows(state) > 0 || state.finishedMs === undefined ? nowMs : state.finishedMs;
  const begin = Math.max(state.startedMs ?? 0, end - SHOWN_MS);
  const empty =
    openRows(state) > 0
      ? 'No call was answered yet: the chart begins with the first.'
      : 'There is no record of the pace from then: it is kept each two seconds, for the last hour of calls.';
  return renderPaceChart(spansOf(samples), { fromMs: begin, toMs: end, empty });
}
