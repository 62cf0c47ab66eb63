import { counted } from '../../../counted.ts';
import { type Html, html } from '../../html/html.ts';
import { actionButton } from '../../parts/button.ts';
import { facts } from '../../parts/figures.ts';
import { notice } from '../../parts/notice.ts';
import { pageHead, panel } from '../../parts/page-head.ts';
import { moment } from '../../parts/time.ts';
import type { HealthAnswer, HealthFact } from './health-answer.ts';

/** How each part is; what needs a person comes first, in one list. */
export function healthPage(given: {
  answers: readonly HealthAnswer[];
  atMs: number;
  /** `reply.csrf()`; none for who may not tell a worker anything. */
  csrf: string | undefined;
}): Html {
  const { answers, atMs, csrf } = given;
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
          'away' in answer
            ? html`<p class="health-away">Cannot be asked: ${answer.away}</p>`
            : partOf(answer.facts, csrf),
      }),
    )}</div>`;
}

function worriesOf(answer: HealthAnswer): { words: string; kind: 'warn' | 'bad' }[] {
  if ('away' in answer) return [{ words: `${answer.title} cannot be asked: ${answer.away}`, kind: 'bad' }];
  return answer.facts.flatMap(({ term, what, kind }) => (kind ? [{ words: `${term}: ${what}`, kind }] : []));
}

function partOf(known: readonly HealthFact[], csrf: string | undefined): Html {
  if (known.length === 0) return html`<p class="quiet">Nothing to tell.</p>`;
  return facts(
    known.map(({ term, what, kind, worker }) => ({
      term,
      what: html`${kind ? html`<strong class="${`is-${kind}`}">${what}</strong>` : what}${worker && csrf !== undefined && workerButton(worker, csrf)}`,
    })),
  );
}

function workerButton({ id, isQuiet }: { id: string; isQuiet: boolean }, csrf: string): Html {
  const action = `/health/workers/${encodeURIComponent(id)}/${isQuiet ? 'resume' : 'quiet'}`;
  return actionButton({
    action,
    csrf,
    words: isQuiet ? 'Take up rows again' : 'Take up nothing new',
    label: `${isQuiet ? 'Take up rows again' : 'Take up nothing new'}: worker ${id}`,
  });
}
