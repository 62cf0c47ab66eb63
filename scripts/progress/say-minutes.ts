import { GRANTED_STATES, type RowState, statesThat } from '../../src/ledger/schema/row.ts';
import type { Log } from '../../src/log.ts';
import type { Service } from '../../src/open-service.ts';
import { describePace } from '../../src/pace/pace-words.ts';
import type { Queues } from '../../src/queue/queues.ts';

const MINUTE_MS = 60_000;

/** The states that are logged: made and failed. */
const ENDS = [...GRANTED_STATES, ...statesThat('isFailed')];

type Counts = Readonly<Partial<Record<RowState, number>>>;

/**
 * Logs once a minute what this process has done and what its calls wait for; nothing while there is no work.
 *
 * @param counts rows that ended in this process so far, by state
 * @param callsSent calls sent by this process so far
 */
export function startSayingMinutes({
  service: { slots, paceNow },
  queues,
  counts,
  callsSent,
  log,
  everyMs = MINUTE_MS,
}: {
  service: Pick<Service, 'paceNow'> & { slots: Pick<Service['slots'], 'inFlight'> };
  queues: Pick<Queues, 'depth'>;
  counts: () => Counts;
  callsSent: () => number;
  log: Log;
  everyMs?: number;
}) {
  let before = { counts: { ...counts() }, calls: callsSent(), atMs: performance.now() };

  const say = async (): Promise<void> => {
    const now = { counts: { ...counts() }, calls: callsSent(), atMs: performance.now() };
    const since = (state: RowState) => (now.counts[state] ?? 0) - (before.counts[state] ?? 0);
    const seconds = (now.atMs - before.atMs) / 1_000;
    const rows = Object.fromEntries(ENDS.map((state) => [state, since(state)]));
    const calls = now.calls - before.calls;
    before = now;
    const [inFlight, waiting] = [slots.inFlight(), await queues.depth()];
    const moved = Object.values(rows).some((count) => count > 0);
    if (!moved && calls === 0 && inFlight === 0 && waiting === 0) return;
    const callsPerS = Math.round((calls / seconds) * 10) / 10;
    const why = describePace(paceNow());
    const ended = Object.entries(rows).flatMap(([state, count]) => (count > 0 ? [`${count} ${state}`] : []));
    const words = [
      `in ${Math.round(seconds)} s: ${ended.join(', ') || 'no row ended'}`,
      `${callsPerS} calls/s, ${inFlight} in flight, ${waiting} jobs waiting`,
      ...(why === '' ? [] : [why]),
    ];
    log.info({ ...rows, calls, callsPerS, inFlight, waiting, ...(why === '' ? {} : { why }) }, words.join('; '));
  };
  // An absent Redis is reported elsewhere.
  const timer = setInterval(() => void say().catch(() => {}), everyMs).unref();
  return { stop: (): void => clearInterval(timer) };
}

/** The same service with its calls counted. @param onAccepted called for each call that the service accepted */
export function countCalls(service: Service, onAccepted = () => {}): { service: Service; sent: () => number } {
  let count = 0;
  const counted = <Args extends unknown[], Answer extends { is: string }>(call: (...args: Args) => Promise<Answer>) => {
    return async (...args: Args): Promise<Answer> => {
      count += 1;
      const answer = await call(...args);
      if (ACCEPTED.has(answer.is)) onAccepted();
      return answer;
    };
  };
  const { createCompany, requestLimit, uploadDocument } = service.client;
  const client = {
    ...service.client,
    createCompany: counted(createCompany),
    requestLimit: counted(requestLimit),
    uploadDocument: counted(uploadDocument),
  };
  return { service: { ...service, client }, sent: () => count };
}

/** Answers by which the service accepted the call, whatever it decided. */
const ACCEPTED: ReadonlySet<string> = new Set(['made', 'refused', 'not ours']);
