import { grouped } from '../../../counted.ts';
import type { PortfolioState } from '../../../ledger/portfolios/portfolio.ts';
import { rowCountOf } from '../../../ledger/portfolios/summary.ts';
import { rowsIn, UNFINISHED_STATES } from '../../../ledger/schema/row.ts';
import { timeLeftWords } from '../../../pace/time-left.ts';
import { type Html, html, NOTHING } from '../../html/html.ts';
import { countWords, t } from '../../html/texts.ts';
import { progressBar } from '../../parts/figures.ts';
import { panel } from '../../parts/page-head.ts';
import { table } from '../../parts/table.ts';
import { portfolioAddress } from '../addresses.ts';
import { type PortfolioLook, type PortfolioSeen, workLeftOf } from '../portfolio/portfolio-look.ts';
import { waitsFor } from '../portfolio/waits-for.ts';
import { mayWords } from '../who-may.ts';

/** Portfolios with rows still to be sent, and how many there are besides those shown; `isAll` is false if there may be more. */
export type UnderWay = { shown: readonly Shown[]; others: number; isAll: boolean };

/**
 * The unfinished portfolios; among them all paused ones that still have rows to send (`paused`); and the time since when listed
 * portfolios have rejected rows, by name (`rejectedMs`).
 */
export type Running = UnderWay & { paused: readonly PortfolioState[]; rejectedMs: ReadonlyMap<string, number> };

/** An unfinished portfolio, with the names of the people who may resume it if it is paused. */
type Shown = PortfolioSeen & { resume: readonly string[] };

type Looked = Pick<PortfolioLook, 'workers' | 'pausedQueues'>;

/**
 * The panel of the portfolios that are not finished: how far each is, and the time left, as its own page says it. Nothing if all
 * are finished.
 */
export function underWay({ shown, others, isAll }: UnderWay, looked: Looked): Html {
  if (shown.length === 0) return NOTHING;
  return panel({
    title: t`Not finished`,
    body: html`${table({
      caption: t`Portfolios with rows still to be sent`,
      rows: shown,
      columns: [
        {
          head: t`Portfolio`,
          names: true,
          cell: ({ state: { name } }) => html`<a href="${portfolioAddress(name)}"><bdi>${name}</bdi></a>`,
        },
        { head: t`Done`, cell: doneCell },
        { head: t`Time left`, cell: (seen) => leftCell(seen, looked) },
      ],
    })}
    ${others > 0 && html`<p class="quiet">${!isAll && t`At least `}${countWords(others, 'more portfolio is', 'more portfolios are')} under way.</p>`}`,
  });
}

function doneCell({ state }: PortfolioSeen): Html {
  const total = rowCountOf(state) - state.replaced;
  const done = total - rowsIn(state.states, UNFINISHED_STATES);
  return progressBar({
    label: t`Rows of ${state.name} that are done`,
    done,
    total,
    words: t`${grouped(done)} of ${grouped(total)}`,
  });
}

function leftCell(seen: Shown, looked: Looked): Html {
  const { left } = workLeftOf(seen);
  if (left) return html`${timeLeftWords(left)} left`;
  const [first] = waitsFor({ ...seen, ...looked });
  if (!first) return html`<span class="wait">not known yet</span>`;
  return html`<span><span class="wait is-${first.kind}">${first.title.replace(/\.$/, '')}</span>${first.act === 'resume' && html`<small class="under">${mayWords(seen.resume, t`resume it`)}</small>`}</span>`;
}
