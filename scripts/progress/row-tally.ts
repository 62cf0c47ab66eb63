import type { RowEnd } from '../../jobs/steps/step.ts';
import { is, type RowState, type Step } from '../../src/ledger/schema/row.ts';
import type { Log } from '../../src/log.ts';

/** Often enough for who watches, rarely enough for an outage in which every row ends alike. */
const SAY_EVERY_MS = 5_000;

/** Rows that ended alike. */
type Kind = { state: RowState; step: Step; status: number | undefined; rows: number };

/**
 * Counts the rows that end in this process, and says every few seconds how many were refused or held, by step and status:
 * counted, since an outage or a mistake that all share ends thousands.
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
    /** A row has ended. */
    ended({ state, step, problem }: RowEnd): void {
      counts[state] = (counts[state] ?? 0) + 1;
      if (!is('isFailed', state)) return;
      const status = problem?.status ?? heldStatus(problem?.message ?? '');
      const name = `${state} ${step} ${status}`;
      const kind = kinds.get(name) ?? { state, step, status, rows: 0 };
      kinds.set(name, { ...kind, rows: kind.rows + 1 });
    },
    /** How many ended in each state so far, since this process began. */
    counts: (): Readonly<Partial<Record<RowState, number>>> => counts,
    /** Says what was not said yet, and no more. */
    stop(): void {
      clearInterval(timer);
      say();
    },
  };
}

/** The status in the problem of a held row, as `problemOf` words it (jobs/steps/row-problem.ts); what a body says is not looked at. */
function heldStatus(message: string): number | undefined {
  const status = /(?:, then|was made:) status (\d{3})\b/.exec(message)?.[1];
  return status === undefined ? undefined : Number(status);
}
