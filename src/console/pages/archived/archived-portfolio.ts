import { counted, grouped, sizeWords } from '../../../counted.ts';
import { ARCHIVE_STANDING, type ArchivedPortfolio, archivedRows } from '../../../ledger/schema/archives.ts';
import type { Rights } from '../../access/access.ts';
import { can } from '../../access/can.ts';
import { type Html, html } from '../../html/html.ts';
import { amount } from '../../parts/amount.ts';
import { commandLine, shellWord } from '../../parts/command-line.ts';
import { facts } from '../../parts/figures.ts';
import { notice } from '../../parts/notice.ts';
import { pageHead, panel } from '../../parts/page-head.ts';
import { stateBar } from '../../parts/state.ts';
import { moment } from '../../parts/time.ts';
import { ARCHIVED, renderDownload } from './archived-list.ts';

/** What stands under the address of a portfolio whose rows are not in Redis: what it was, and how its rows come back. */
export function archivedPortfolioPage(archived: ArchivedPortfolio, rights: Rights): Html {
  const { name, is, by, sinceMs, startedMs, finishedMs, states = {}, sizeBytes } = archived;
  const rows = archivedRows(archived);
  const standing = ARCHIVE_STANDING[is];
  return html`${pageHead({
    title: html`<bdi>${name}</bdi>`,
    trail: [
      { href: '/', words: 'Portfolios' },
      { href: ARCHIVED, words: 'Archived' },
    ],
    lead: html`${standing.charAt(0).toUpperCase()}${standing.slice(1)} since ${moment(sinceMs)}, by ${by}`,
    actions: can(rights, 'GET /portfolios/:name/downloads/:file') && renderDownload(archived),
  })}
  ${whatItMeans(archived)}
  ${panel({
    title: 'What it was',
    body: html`${stateBar(states, { label: `Rows of ${name} by state`, legend: true })}
    ${facts([
      { term: 'Rows', what: grouped(rows) },
      { term: 'Requested', what: amount(archived.requested ?? '0') },
      { term: 'Granted', what: amount(archived.granted ?? '0') },
      { term: 'Begun', what: moment(startedMs) },
      { term: 'Finished', what: moment(finishedMs) },
      ...(is === 'forgotten' || sizeBytes === undefined ? [] : [{ term: 'Its files', what: sizeWords(sizeBytes) }]),
    ])}`,
  })}`;
}

function whatItMeans(archived: ArchivedPortfolio): Html {
  const { name, is } = archived;
  const word = shellWord(name);
  switch (is) {
    case 'archived':
      return notice(
        'info',
        html`What was requested for it is known and is not requested again. To see its rows here, have them brought back: ${commandLine(`npx limitline restore ${word}`)}`,
        { title: `Its ${counted(archivedRows(archived), 'row is', 'rows are')} in files of the data folder.` },
      );
    case 'archiving':
    case 'leaving':
      return goesOn('It is being archived.', `npx limitline archive ${word}`);
    case 'restoring':
      return goesOn('It is being restored.', `npx limitline restore ${word}`);
    case 'forgetting':
      return goesOn('It is being forgotten.', `npx limitline forget ${word}`);
    case 'forgotten':
      return notice(
        'info',
        'What was known of people is gone, and nothing of it comes back. What was requested for it is still not requested again.',
        { title: 'It was forgotten.' },
      );
  }
}

function goesOn(title: string, command: string): Html {
  return notice('warn', html`If nobody is at it any more, this goes on with it: ${commandLine(command)}`, { title });
}
