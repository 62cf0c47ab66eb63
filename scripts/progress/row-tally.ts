import type { RowEnd } from '../../jobs/steps/step.ts';
import { is, type RowState, type Step } from '../../src/ledger/schema/row.ts';
import type { Log } from '../../src/log.ts';

/** Frequent enough for an observer, and rare enough for an outage in which all rows end alike. */
const SAY_EVERY_MS = 5_000;

/** Rows that ended alike. */
type Kind = { state: RowState; step: Step; status: number | undefined; rows: number };

/**
 * Counts rows that end in this process, and logs every few seconds how many were refused or held, by step and status. An outage
 * may end thousands, so they are not logged one by one.
 */
export function startRowTally({ log, everyMs = SAY_EVERY_MS }: { log: Log; everyMs?: number }) {
  const counts: Partial<Record<RowState, number>> = {};
  let kinds = new Map<string, Kind>();

  const say = (): void => {
    const said = kinds;
    kinds = new Map();
    for (const { state, step, status, rows } of said.values()) {
      const because = status === undefined ? '' : `, status ${status}`;
      log.warn(
        { state, step, ...(status === undefined ? {} : { status }), rows },
        `${rows} ${rows === 1 ? 'row' : 'rows'} ${state} at the step ${step}${because}`,
      );
    }
  };
  const timer = setInterval(say, everyMs).unref();

  return {
    ended({ state, step, problem }: RowEnd): void {
      counts[state] = (counts[state] ?? 0) + 1;
      if (!is('isFailed', state)) return;
      const status = problem?.status ?? heldStatus(problem?.message ?? '');
      const name = `${state} ${step} ${status}`;
      const kind = kinds.get(name) ?? { state, step, status, rows: 0 };
      kinds.set(name, { ...kind, rows: kind.rows + 1 });
    },
    /** Rows that ended in this process so far, by state. */
    counts: (): Readonly<Partial<Record<RowState, number>>> => counts,
    /** Logs what is left and stops. */
    stop(): void {
      clearInterval(timer);
      say();
    },
  };
}

/** The status in a held row's problem, as `problemOf` writes it (jobs/steps/row-problem.ts). Ignores the response's body. */
function heldStatus(message: string): number | undefined {
  const status = /(?:, then|was made:) status (\d{3})\b/.exec(message)?.[1];
  return status === undefined ? undefined : Number(status);
}
