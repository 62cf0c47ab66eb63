import type { Audit } from '../../src/audit/audit.ts';
import { counted } from '../../src/counted.ts';
import { messageOf } from '../../src/errors.ts';
import { OLDER_WORDS, type SendMarks } from '../../src/ledger/calls/send-marks.ts';
import type { NightlyRuns, NightOf } from '../../src/ledger/nightly/nightly-runs.ts';
import type { Log } from '../../src/log.ts';
import type { MaintenanceRun, RunEnding } from '../../src/queue/maintenance-worker.ts';
import type { TaskName } from '../../src/schedule/schedule.ts';
import { latestOf } from './keep-schedule.ts';

/** Who acts in scheduled runs. */
const NIGHTLY_ACTOR = 'nightly';

/**
 * How often a night is begun at most, including three tries after faults. The rest are runs whose process died: a task that
 * kills its process must not be run for ever.
 */
const MOST_BEGUN = 10;

type RunnerDeps = {
  tasks: readonly NightlyTask[];
  runs: NightlyRuns;
  audit: Pick<Audit, 'around'>;
  marks: Pick<SendMarks, 'older'>;
  /** The host, for the audit trail, where nobody asked for the run. */
  from: string;
  processId: string;
  host: string;
  log: Log;
  now?: () => number;
};

/**
 * Makes the function that runs a job of the queue: for the task's last scheduled time, unless that night has ended. A run that
 * is late, repeated or continued after a crash belongs to one night and counts once.
 */
export function makeTaskRunner(deps: RunnerDeps): (run: MaintenanceRun) => Promise<RunEnding> {
  const { tasks, runs, processId: process, host, log, now = Date.now } = deps;
  return async (run) => {
    const night = await nightOf(run, deps);
    const task = tasks.find(({ name }) => name === run.task);
    const [by, from] = [run.by ?? NIGHTLY_ACTOR, run.from ?? deps.from];
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
    // The task is not tried again: a Redis that is older than what was sent stays so.
    if (await deps.marks.older()) return end({ is: 'failed', words: OLDER_WORDS });
    if (begun > MOST_BEGUN) {
      const words = `The task was given up after it began ${counted(MOST_BEGUN, 'time')}: most often its process ended before the task did.`;
      return end({ is: 'failed', words });
    }
    const result = await resultOf(night, { ...run, task, by, from }, deps);
    if (result === 'stopped') {
      // If Redis cannot record that this process left the run, the run counts as begun once more.
      await runs.leave(night).catch(() => {});
      return 'elsewhere';
    }
    if (result.is !== 'failed' || run.isLastTry) return end(result);
    log.warn({ task: run.task, night: night.id }, `${run.task} is tried again soon: ${result.words}`);
    return 'again';
  };
}

export type Night = {
  /** The scheduled time, such as `2026-11-22T01:30:00.000Z`. A run that continues after a crash has the same id. */
  id: string;
  atMs: number;
  /** `nightly`, or the person who asked for the run. */
  by: string;
  /** The host, or from where the person asked; for the audit trail. */
  from: string;
  /** Aborted when the process stops: the run must end soon, and another process or a later start continues it. */
  signal: AbortSignal;
};

export type NightResult = {
  is: 'well' | 'findings' | 'failed';
  /** One sentence for people. */
  words: string;
  /** The id of the report that the run made; left out if it made none. */
  report?: string;
};

/**
 * A task that the schedule may name. Each run has an entry in the audit trail before it and one after it. After a crash the task is run again
 * with the same id.
 */
export type NightlyTask = {
  name: TaskName;
  /** What the task does, in a few words for people. */
  words: string;
  /**
   * Runs the task. When stopped by `signal` it must throw, and is run again later; returning ends the night. Two runs of one
   * night at the same time must do no harm: a process that was suspended may wake up beside its successor.
   */
  run: (night: Night) => Promise<NightResult>;
};

const LEVELS = { well: 'info', findings: 'warn', failed: 'error' } as const;

/** The night of a run. A person's request is for the time of the request; otherwise, the last scheduled time counts. */
async function nightOf({ task, dueMs, by }: MaintenanceRun, { runs, now = Date.now }: RunnerDeps): Promise<NightOf> {
  const latest = by === undefined ? latestOf(task, (await runs.schedule()) ?? [], now()) : undefined;
  const atMs = Math.max(dueMs, latest ?? dueMs);
  return { task, id: new Date(atMs).toISOString(), atMs };
}

async function resultOf(
  night: NightOf,
  { task, by, from, signal }: Pick<Night, 'by' | 'from' | 'signal'> & { task: NightlyTask | undefined },
  { audit, log }: RunnerDeps,
): Promise<NightResult | 'stopped'> {
  if (!task) {
    return { is: 'failed', words: `No task is called "${night.task}"; this process is older than the schedule.` };
  }
  const { id, atMs } = night;
  const run = () => task.run({ id, atMs, by, from, signal });
  log.info({ task: task.name, night: id, by }, `${task.name} ${task.words}: begun`);
  try {
    const note = { by, what: 'nightly task run', from, facts: { task: task.name, night: id } };
    const factsOf = ({ is, report }: NightResult) => ({ result: is, ...(report === undefined ? {} : { report }) });
    return await audit.around(note, run, factsOf, ({ is }) => (is === 'failed' ? 'failed' : 'done'));
  } catch (error) {
    if (signal.aborted) return 'stopped';
    log.error({ task: task.name, night: id, err: error }, 'a nightly task met a fault');
    return { is: 'failed', words: `It could not be done: ${messageOf(error)}` };
  }
}
