import { counted } from '../../../counted.ts';
import { type Html, html } from '../../html/html.ts';
import { facts } from '../../parts/figures.ts';
import { notice } from '../../parts/notice.ts';
import { pageHead, panel } from '../../parts/page-head.ts';
import { moment } from '../../parts/time.ts';
import type { HealthAnswer, HealthFact } from './health-answer.ts';

/** How each part is; what needs a person comes first, in one list. */
export function healthPage({ answers, atMs }: { answers: readonly HealthAnswer[]; atMs: number }): Html {
  const worries = answers.flatMap(worriesOf);
  return html`${pageHead({ title: 'Health', lead: html`As it was at ${moment(atMs)}. Load the page again for how it is now.` })}
    ${
      worries.length === 0
        ? notice('good', 'Every part answers, and none needs you.')
        : notice(
            worries.some(({ kind }) => kind === 'bad') ? 'bad' : 'warn',
            html`<ul>${worries.map(({ words }) => html`<li>${words}</li>`)}</ul>`,
            { title: `${counted(worries.length, 'thing')} to look at` },
          )
    }
    <div class="health">${answers.map((answer) =>
      panel({
        title: answer.title,
        body:
          'away' in answer ? html`<p class="health-away">Cannot be asked: ${answer.away}</p>` : partOf(answer.facts),
      }),
    )}</div>`;
}

function worriesOf(answer: HealthAnswer): { words: string; kind: 'warn' | 'bad' }[] {
  if ('away' in answer) return [{ words: `${answer.title} cannot be asked: ${answer.away}`, kind: 'bad' }];
  return answer.facts.flatMap(({ term, what, kind }) => (kind ? [{ words: `${term}: ${what}`, kind }] : []));
}

function partOf(known: readonly HealthFact[]): Html {
  if (known.length === 0) return html`<p class="quiet">Nothing to tell.</p>`;
  return facts(
    known.map(({ term, what, kind }) => ({
      term,
      what: kind ? html`<strong class="${`is-${kind}`}">${what}</strong>` : what,
    })),
  );
}
