import { messageOf } from '../../../errors.ts';
import { inTime } from '../../../in-time.ts';
import { can, LOOKS, OPERATOR } from '../../access/access.ts';
import { ConsoleError } from '../../console-app.ts';
import { countWords, type Html, html, t } from '../../html/html.ts';
import { notice, pageHead, panel } from '../../parts/blocks.ts';
import { facts } from '../../parts/figures.ts';
import { actionButton } from '../../parts/form.ts';
import { advice, moment } from '../../parts/text.ts';
import { page } from '../page.ts';

/**
 * A part of the system that reports its health. After `limitMs` it counts as not answering. `ofSystem` marks reports that name
 * addresses, versions or settings, which only operators and admins may see.
 */
type HealthPart = { title: string; limitMs: number; ofSystem: boolean; ask: () => Promise<HealthFact[]> };

export type HealthPageFunctions = {
  parts: readonly HealthPart[];
  /** Tells a worker to take up no new rows (`quiet`), or rows again. False where there is no such process. */
  instruct: (processId: string, instruction: 'quiet' | 'resume') => Promise<boolean>;
};

/** `/health`: the health of each part. A part that does not answer says so, and never delays the others. */
export const systemHealthPage = page<HealthPageFunctions>(
  { at: 'health', entry: { at: 'health', href: '/health', words: t`Health` }, ours: 'all' },
  ({ get, post }) => [
    get('/health', {
      // Everybody may see whether calls are sent; addresses, versions and settings are for operators and admins.
      may: { roles: [...LOOKS.roles, 'admin'], kinds: { system: { roles: ['operator', 'admin'] } } },
      show: async ({ rights, reply, given: { parts } }) => {
        const seesSystem = can(rights, 'GET /health', 'system');
        const answers = await Promise.all(parts.filter(({ ofSystem }) => !ofSystem || seesSystem).map(answerOf));
        const csrf = can(rights, 'POST /health/workers/:process/quiet') ? reply.csrf() : undefined;
        return { title: t`Health`, body: healthPage({ answers, atMs: Date.now(), csrf }) };
      },
    }),
    ...(['quiet', 'resume'] as const).map((name) =>
      post(`/health/workers/:process/${name}`, {
        may: OPERATOR,
        action: `${name} worker`,
        handle: async ({ params: { process: id = '' }, reply, given }) => {
          if (await given.instruct(id, name)) return reply.redirect('/health', 303);
          throw new ConsoleError(404, t`There is no such worker: it has ended since.`);
        },
      }),
    ),
  ],
);

function answerOf({ title, limitMs, ask }: HealthPart): Promise<HealthAnswer> {
  const asked = ask().then(
    (facts): HealthAnswer => ({ title, facts }),
    (error: unknown): HealthAnswer => ({ title, away: messageOf(error) }),
  );
  return inTime(asked, limitMs, () => ({ title, away: t`no answer within ${limitMs / 1_000} s` }));
}

/** The page with the health of all parts of the system. All problems stand first, in one list. */
function healthPage(given: {
  answers: readonly HealthAnswer[];
  atMs: number;
  /** `reply.csrf()`; undefined for people who may not control workers. */
  csrf: string | undefined;
}): Html {
  const { answers, atMs, csrf } = given;
  const worries = answers.flatMap(worriesOf);
  return html`${pageHead({ title: t`Health`, lead: html`As it was at ${moment(atMs)}. Load the page again for how it is now.` })}
    ${
      worries.length === 0
        ? notice('good', t`Every part answers, and none needs you.`)
        : notice(
            worries.some(({ kind }) => kind === 'bad') ? 'bad' : 'warn',
            html`<ul>${worries.map(({ words }) => html`<li>${advice(words)}</li>`)}</ul>`,
            { title: t`${countWords(worries.length, 'thing')} to look at` },
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
  if ('away' in answer) return [{ words: t`${answer.title} cannot be asked: ${answer.away}`, kind: 'bad' }];
  return answer.facts.flatMap(({ term, what, kind }) => (kind ? [{ words: `${term}: ${what}`, kind }] : []));
}

function partOf(known: readonly HealthFact[], csrf: string | undefined): Html {
  if (known.length === 0) return html`<p class="quiet">Nothing to tell.</p>`;
  return facts(
    known.map(({ term, what, kind, worker }) => ({
      term,
      what: html`${kind ? html`<strong class="${`is-${kind}`}">${advice(what)}</strong>` : what}${worker && csrf !== undefined && workerButton(worker, csrf)}`,
    })),
  );
}

function workerButton({ id, isQuiet }: { id: string; isQuiet: boolean }, csrf: string): Html {
  const action = `/health/workers/${encodeURIComponent(id)}/${isQuiet ? 'resume' : 'quiet'}`;
  return actionButton({
    action,
    csrf,
    words: isQuiet ? t`Take up rows again` : t`Take up nothing new`,
    label: t`${isQuiet ? t`Take up rows again` : t`Take up nothing new`}: worker ${id}`,
  });
}

/** A fact about a part of the system; `kind` marks one that a person should look at. */
export type HealthFact = {
  term: string;
  what: string;
  kind?: 'warn' | 'bad';
  /** The worker process that the fact is about. Its button tells it to take up no new rows, or rows again. */
  worker?: { id: string; isQuiet: boolean };
};

/** The report of a part, or why there is none. */
type HealthAnswer = { title: string } & ({ facts: HealthFact[] } | { away: string });
