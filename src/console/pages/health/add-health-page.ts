import { messageOf } from '../../../errors.ts';
import { can } from '../../access/can.ts';
import { addAction } from '../../actions/add-action.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { ConsoleError } from '../../server/console-error.ts';
import type { HealthAnswer, HealthFact } from './health-answer.ts';
import { healthPage } from './health-page.ts';

/**
 * A part of the system that can be asked how it is. `limitMs` after which it counts as not answering. What names addresses,
 * versions or settings is `ofSystem`, for those who look after that.
 */
export type HealthPart = { title: string; limitMs: number; ofSystem: boolean; ask: () => Promise<HealthFact[]> };

export type HealthPageFunctions = {
  parts: readonly HealthPart[];
  /** Tells a worker what is wished of it. False where there is no such process. */
  wish: (processId: string, wish: 'quiet' | 'resume') => Promise<boolean>;
};

/** `/health`: how each part of the system is. A part that does not answer says so, and keeps nobody waiting for the others. */
export function addHealthPage(app: ConsoleApp, { parts, wish }: HealthPageFunctions): void {
  app.get('/health', async (request, reply) => {
    const seesSystem = can(request.rights, 'GET /health', 'system');
    const answers = await Promise.all(parts.filter(({ ofSystem }) => !ofSystem || seesSystem).map(answerOf));
    const csrf = can(request.rights, 'POST /health/workers/:process/quiet') ? reply.csrf() : undefined;
    return reply.page({ title: 'Health', at: 'health', body: healthPage({ answers, atMs: Date.now(), csrf }) });
  });

  for (const name of ['quiet', 'resume'] as const) {
    addAction(app, {
      url: `/health/workers/:process/${name}`,
      action: `${name} worker`,
      handle: async ({ params: { process: id = '' }, reply }) => {
        if (await wish(id, name)) return reply.redirect('/health', 303);
        throw new ConsoleError(404, 'There is no such worker: it has ended since.');
      },
    });
  }
}

async function answerOf({ title, limitMs, ask }: HealthPart): Promise<HealthAnswer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<HealthAnswer>((resolve) => {
    const away = `no answer within ${limitMs / 1_000} s`;
    timer = setTimeout(() => resolve({ title, away }), limitMs);
  });
  const asked = ask().then(
    (facts): HealthAnswer => ({ title, facts }),
    (error: unknown): HealthAnswer => ({ title, away: messageOf(error) }),
  );
  const answer = await Promise.race([asked, late]);
  clearTimeout(timer);
  return answer;
}
