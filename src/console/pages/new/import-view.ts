import type { PortfolioDraft } from '../../../portfolio/portfolio-draft.ts';
import { type Html, html } from '../../html/html.ts';
import { pageHead, panel } from '../../parts/page-head.ts';
import { PROGRESS_ID } from './progress-view.ts';

/** An import as it goes. */
export function importView({ id, name, submitted }: PortfolioDraft, progress: Html): Html {
  const portfolio = submitted?.portfolio ?? '';
  return html`${pageHead({
    title: html`Importing <bdi>${name}</bdi>`,
    trail: [
      { href: '/new', words: 'New portfolio' },
      { href: `/new/${id}`, words: name },
    ],
    lead: html`Into portfolio <a href="/portfolios/${encodeURIComponent(portfolio)}"><bdi>${portfolio}</bdi></a>. Workers request its first lines already; this page may be left.`,
  })}
  ${panel({ title: 'Progress', body: html`<div data-module="follow"><div id="${PROGRESS_ID}">${progress}</div></div>` })}`;
}
