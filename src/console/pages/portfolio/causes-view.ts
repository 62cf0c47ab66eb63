import { counted, grouped } from '../../../counted.ts';
import type { Rights } from '../../access/access.ts';
import { can } from '../../access/can.ts';
import { type Html, html } from '../../html/html.ts';
import { amount } from '../../parts/amount.ts';
import { linkButton } from '../../parts/button.ts';
import { commandLine, shellWord } from '../../parts/command-line.ts';
import { stateBadge } from '../../parts/state.ts';
import { below, planAddress, portfolioAddress } from './addresses.ts';
import type { ShownCause } from './portfolio-look.ts';

/** As many as a person reads; the rows of the others are found by their state. */
export const CAUSES_SHOWN = 20;

const MEANINGS: Readonly<Record<string, string>> = {
  refused: 'refused',
  unknown: 'outcome unknown',
  'put off': 'put off too often',
  other: 'made for another line',
  ours: 'fault of Limitline',
};

/** Why rows failed, the cause of most rows first, each with what can be done about all of its rows. */
export function renderCauses(name: string, causes: readonly ShownCause[], rights: Rights): Html {
  if (causes.length === 0) return html`<p class="quiet">No row has failed.</p>`;
  const rest = causes.slice(CAUSES_SHOWN);
  const restRows = rest.reduce((sum, { rows }) => sum + rows, 0);
  return html`<ol class="causes">${causes.slice(0, CAUSES_SHOWN).map((cause) => renderCause(name, cause, rights))}</ol>
    ${rest.length > 0 && html`<p class="quiet">${grouped(rest.length)} more causes of ${counted(restRows, 'row')}: ${commandLine(`npx limitline report ${shellWord(name)} --causes`)}</p>`}`;
}

function renderCause(name: string, cause: ShownCause, rights: Rights): Html {
  const { id, step, meaning, status, words, rows, sum, sample } = cause;
  const isHeld = meaning === 'unknown';
  const of = { cause: id };
  const label = words === '' ? `${meaning} at ${step}` : words;
  return html`<li class="cause">
    <p class="cause-count"><a href="${portfolioAddress(name, of)}">${counted(rows, 'row')}</a> ${amount(sum)}</p>
    <div class="cause-words">
      <p>${stateBadge(isHeld ? 'held' : 'refused', `${MEANINGS[meaning] ?? meaning}${status === null ? '' : ` · ${status}`}`)} <span class="quiet">at ${step}</span></p>
      <p class="cause-text">${words === '' ? html`<span class="quiet">no words in the answer</span>` : html`<q>${words}</q>`}</p>
      <p class="cause-way">${sample && html`<a href="${below(name, 'rows', sample.row.key)}">For example line ${sample.line}</a>`} ${commandLine(commandOf(name, cause))}</p>
    </div>
    <div class="actions">
      ${
        isHeld
          ? can(rights, 'GET /portfolios/:name/held') &&
            linkButton({
              href: below(name, 'held'),
              words: 'Answer…',
              label: `Answer for the rows held for: ${label}`,
            })
          : can(rights, 'GET /plans/new', 'retry') &&
            linkButton({
              href: planAddress(name, 'retry', of),
              words: 'Retry…',
              dialog: true,
              label: `Retry the rows refused for: ${label}`,
            })
      }
      ${!isHeld && can(rights, 'POST /nightly/rules') && linkButton({ href: `/nightly?${new URLSearchParams({ cause: id, portfolio: name })}#new-rule`, words: 'Each night…', kind: 'quiet', label: `Have the rows go again each night that were refused for: ${label}` })}
      ${!isHeld && can(rights, 'GET /portfolios/:name/downloads/:file') && linkButton({ href: `${below(name, 'downloads', 'errors.csv')}?cause=${encodeURIComponent(id)}`, words: 'Export', kind: 'quiet', download: true, label: `Export the rows that failed for: ${label}` })}
      ${!isHeld && can(rights, 'GET /plans/new', 'cancel') && linkButton({ href: planAddress(name, 'cancel', of), words: 'Cancel…', kind: 'quiet', dialog: true, label: `Cancel the rows refused for: ${label}` })}
    </div>
  </li>`;
}

function commandOf(name: string, { id, meaning }: ShownCause): string {
  if (meaning === 'unknown') return `npx limitline report ${shellWord(name)} --state held --out held.csv`;
  return `npx limitline retry ${shellWord(name)} --cause ${id}`;
}
