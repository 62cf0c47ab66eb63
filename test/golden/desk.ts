import { cpSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startWorkers } from '../../jobs/workers/workers.ts';
import { readSettings } from '../../src/config.ts';
import type { Context } from '../../src/context.ts';
import { openService } from '../../src/open-service.ts';
import { isGoing, readLedger } from '../simulation/check/rows-now.ts';
import { pass, SERVICE_URL } from '../simulation/run/process.ts';
import type { Simulation } from '../simulation/run/simulation.ts';
import { BEGIN_MS } from '../simulation/run/virtual-globals.ts';
import { open } from '../simulation/worlds/people.ts';
import { callCommand } from '../support/command.ts';
import type { Keep } from './goldens.ts';

/** The time between the beginnings of two steps. The duration of a step does not show in the times of the next one. */
const STEP_MS = 600_000;

const { userInfo } = os;

type Given = { by?: string; env?: Record<string, string>; input?: () => string };

/** The steps that make the fixed state, with a folder of files, the command line, and workers from time to time. */
export function openGoldenDesk(simulation: Simulation, keep: Keep) {
  const cwd = join(simulation.dataDir, 'desk');
  cpSync(join(import.meta.dirname, 'files'), cwd, { recursive: true });
  const env = {
    LIMITLINE_DATA: join(simulation.dataDir, 'kept'),
    LIMITLINE_SECRET: 'the-secret-of-an-installation-of-tests',
    REDIS_URL: 'redis://simulated',
    SERVICE_URL,
    SERVICE_CLIENT_ID: 'simulated',
    SERVICE_CLIENT_SECRET: 'simulated-secret-of-nobody',
    SERVICE_CONCURRENCY: '1',
  };
  let steps = 0;

  /** Runs one step in a process of its own. */
  const step = (run: () => Promise<unknown>): Promise<void> => {
    steps += 1;
    return simulation.alone(`step ${steps}`, async ({ shared }) => {
      shared.nowMs = Math.max(shared.nowMs, BEGIN_MS + steps * STEP_MS);
      await run();
    });
  };

  /** Runs one step that calls functions of the product. */
  const withContext = (run: (context: Context) => Promise<unknown>, more: Record<string, string> = {}): Promise<void> =>
    step(async () => {
      const context = await open(readSettings({ cwd, env: { ...env, ...more } }));
      await run(context);
      await context.close();
    });

  const hasSettled = () =>
    pass(
      'looks',
      async () => {
        const now = await readLedger(simulation.redis);
        return simulation.board.isIdle() && !now.rows.some((row) => isGoing(row, now));
      },
      { isQuiet: true },
    );

  return {
    cwd,
    withContext,
    /** Runs a command as this system user with this standard input, and keeps its output. */
    command: (words: string, { by = 'ann', env: more = {}, input = () => '' }: Given = {}): Promise<void> =>
      step(async () => {
        os.userInfo = ((...args: []) => ({ ...userInfo(...args), username: by })) as typeof os.userInfo;
        syncBuiltinESMExports();
        const { status, stdout, stderr } = await callCommand(words.split(' '), {
          cwd,
          env: { ...env, ...more },
          input: input(),
        });
        const said = stderr.replace(/^limitline: data folder .*\n/m, '');
        const [name] = words.split(' ');
        keep(
          `commands/${name}.txt`,
          `$ limitline ${words}\n${stdout}${said && `[standard error]\n${said}`}[${status}]\n\n`,
        );
      }),
    /** Runs a worker until nothing can continue without a person. */
    works: (): Promise<void> =>
      withContext(async (context) => {
        const service = openService(context, SERVICE_URL);
        await service.client.authorize(() => {});
        const workers = await startWorkers(context, service);
        do await sleep(2_000);
        while (!(await hasSettled()));
        await workers.stop();
      }),
  };
}
