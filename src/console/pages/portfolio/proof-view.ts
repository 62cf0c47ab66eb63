import { type Check, proofOf, verdictOf } from '../../../ledger/counts/proof.ts';
import { type Html, html } from '../../html/html.ts';
import { commandLine } from '../../parts/command-line.ts';
import { type NoticeKind, notice } from '../../parts/notice.ts';
import type { PortfolioLook } from './portfolio-look.ts';

const SAID: Readonly<Record<Check['is'], { kind: NoticeKind; title: string; mark: string }>> = {
  right: { kind: 'good', title: 'All counts agree.', mark: 'agrees' },
  wrong: { kind: 'bad', title: 'Counts differ.', mark: 'differs' },
  open: { kind: 'info', title: 'All counts agree as far as they can be told yet.', mark: 'not yet' },
  unknown: { kind: 'info', title: 'Not all of it was counted.', mark: 'not counted' },
};

const SHAPES: Readonly<Record<Check['is'], string>> = {
  right: 'M3 8.5 6.5 12 13 4.5',
  wrong: 'M4 4l8 8M12 4l-8 8',
  open: 'M8 2.5a5.5 5.5 0 1 0 .01 0M8 5v3.2L10 10',
  unknown: 'M5.5 6a2.5 2.5 0 1 1 3.6 2.2C8.3 8.7 8 9.1 8 10M8 12.4v.1',
};

/** Imports that are shown one by one; what is wrong with an earlier one is shown too. */
const IMPORTS_SHOWN = 5;

/** Whether nothing was lost and nothing was made twice: each count beside another that was kept apart from it. */
export function renderProof({ state, imports, twice }: PortfolioLook): Html {
  const checks = proofOf(state, imports);
  const { kind, title } = SAID[verdictOf(checks)];
  const lines = checks.filter((check) => check.of === 'lines');
  const early = lines.slice(0, -IMPORTS_SHOWN).filter(({ is }) => is !== 'wrong');
  const shown = checks.filter((check) => !early.includes(check));
  return html`${notice(kind, title)}
    <ul class="proof">${shown.map(renderCheck)}</ul>
    ${early.length > 0 && html`<p class="quiet">${early.length} earlier imports: nothing differs.</p>`}
    ${twice.length > 0 && html`<ul class="proof-twice">${twice.map(({ kind: what, id, again }) => html`<li>a ${what} was made twice: <code>${id}</code> and <code>${again}</code></li>`)}</ul>`}
    <p class="quiet">Each row looked at by itself: ${commandLine('npx limitline reconcile')}</p>`;
}

function renderCheck({ is, figures, words, import: of }: Check): Html {
  return html`<li class="proof-check is-${is}">
    <span class="proof-mark"><svg class="shape" viewBox="0 0 16 16" aria-hidden="true"><path d="${SHAPES[is]}"/></svg><span class="unseen">${SAID[is].mark}: </span></span>
    <div><p class="proof-figures">${figures}</p>
    ${of && html`<p class="quiet">import ${of.number}, <bdi>${of.fileName}</bdi></p>`}
    ${words !== undefined && html`<p class="proof-words">${words}</p>`}</div>
  </li>`;
}
