import type { Audit } from '../../src/audit/audit.ts';
import { counted } from '../../src/counted.ts';
import { messageOf } from '../../src/errors.ts';
import { OLDER_WORDS, type SendMarks } from '../../src/ledger/calls/send-marks.ts';
import type { NightlyRuns, NightOf } from '../../src/ledger/nightly/nightly-runs.ts';
import type { Log } from '../../src/log.ts';
import type { MaintenanceRun, RunEnding } from '../../src/queue/maintenance-worker.ts';
import { latestOf } from './due-tasks.ts';
import type { NightlyTask, NightResult } from './task.ts';

/** Who acts where nobody asked for it. */
export const NIGHTLY_ACTOR = 'nightly';

/**
 * So often a night is begun at the most. Three are its tries; the rest are processes that died with it, and one that all of them die
 * of would go on for ever.
 */
const MOST_BEGUN = 10;

type RunnerDeps = {
  tasks: readonly NightlyTask[];
  runs: NightlyRuns;
  audit: Pick<Audit, 'around'>;
  marks: Pick<SendMarks, 'older'>;
  /** Where this runs, as the trail has it. */
  from: string;
  processId: string;
  host: string;
  log: Log;
  now?: () => number;
};

/**
 * Runs what the queue hands out: for the latest moment of the task that has passed, unless that night has ended. So a run that comes
 * late, comes twice or goes on where another died is that of one night, and counts once.
 */
export function makeTaskRunner(deps: RunnerDeps): (run: MaintenanceRun) => Promise<RunEnding> {
  const { tasks, runs, processId: process, host, log, now = Date.now } = deps;
  return async (run) => {
    const night = await nightOf(run, deps);
    const task = tasks.find(({ name }) => name === run.task);
    const by = run.by ?? NIGHTLY_ACTOR;
    const startedMs = now();
    const begun = await runs.begin(night, { by, process, host, sinceMs: startedMs });
    if (begun === 0) {
      log.debug({ task: run.task, night: night.id }, 'this night has ended already; there is nothing to do');
      return 'over';
    }
    const end = async (result: NightResult): Promise<RunEnding> => {
      await runs.end(night, { ...result, by, startedMs, endedMs: now() });
      log[LEVELS[result.is]]({ task: run.task, night: night.id, result: result.is }, `${run.task}: ${result.words}`);
      return 'over';
    };
    // It would be the same at a further try.
    if (await deps.marks.older()) return end({ is: 'failed', words: OLDER_WORDS });
    if (begun > MOST_BEGUN) {
      const words = `Given up: it was begun ${counted(MOST_BEGUN, 'time')}, and its process ended in the middle of it.`;
      return end({ is: 'failed', words });
    }
    const result = await resultOf(night, { ...run, task, by }, deps);
    if (result === 'stopped') {
      // Where even this cannot be written, it counts as begun once more.
      await runs.leave(night).catch(() => {});
      return 'elsewhere';
    }
    if (result.is !== 'failed' || run.isLastTry) return end(result);
    log.warn({ task: run.task, night: night.id }, `${run.task} is tried again soon: ${result.words}`);
    return 'again';
  };
}

const LEVELS = { well: 'info', findings: 'warn', failed: 'error' } as const;

/** Somebody's request is for the moment at which it was made; of the schedule's moments that have passed the latest is meant. */
async function nightOf({ task, dueMs, by }: MaintenanceRun, { runs, now = Date.now }: RunnerDeps): Promise<NightOf> {
  const latest = by === undefined ? latestOf(task, (await runs.schedule()) ?? [], now()) : undefined;
  const atMs = Math.max(dueMs, latest ?? dueMs);
  return { task, id: new Date(atMs).toISOString(), atMs };
}

async function resultOf(
  night: NightOf,
  { task, by, signal }: { task: NightlyTask | undefined; by: string; signal: AbortSignal },
  { audit, from, log }: RunnerDeps,
): Promise<NightResult | 'stopped'> {
  if (!task) {
    return { is: 'failed', words: `No task is called "${night.task}"; this process is older than the schedule.` };
  }
  const { id, atMs } = night;
  const run = () => task.run({ id, atMs, by, signal });
  log[task.auditsItself ? 'debug' : 'info']({ task: task.name, night: id, by }, `${task.name} ${task.words}: begun`);
  try {
    if (task.auditsItself) return await run();
    const note = { by, what: 'nightly task run', from, facts: { task: task.name, night: id } };
    const factsOf = ({ is, report }: NightResult) => ({ result: is, ...(report === undefined ? {} : { report }) });
    return await audit.around(note, run, factsOf, ({ is }) => (is === 'failed' ? 'failed' : 'done'));
  } catch (error) {
    if (signal.aborted) return 'stopped';
    log.error({ task: task.name, night: id, err: error }, 'a nightly task met a fault');
    return { is: 'failed', words: `It could not be done: ${messageOf(error)}` };
  }
}
