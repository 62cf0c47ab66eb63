import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { kindOfName, REJECTED } from '../../jobs/inbox/dropped-names.ts';
import { lookAtDisk, readRedisRoom } from '../../jobs/notices/room-changes.ts';
import type { CallKind } from '../../src/call-kind.ts';
import type { Context } from '../../src/context.ts';
import { inTime } from '../../src/in-time.ts';
import { countLiving } from '../../src/ledger/calls/fleet.ts';
import { makeRowTotals } from '../../src/ledger/counts/sums.ts';
import type { AccountPicture } from '../../src/metrics/account-gauges.ts';
import { makeMachineAnswers, type Readiness } from '../../src/metrics/machine-answers.ts';
import { makeMetrics } from '../../src/metrics/metrics.ts';
import type { CallMetrics } from '../../src/metrics/process-metrics.ts';
import { lookAtPace, type Service } from '../../src/open-service.ts';
import { TASKS } from '../../src/schedule/schedule.ts';
import type { Answered, CallOptions } from '../../src/service/client.ts';
import { readBuild } from '../../src/version.ts';

/** How long a question about readiness waits for Redis, in ms; after that, Redis counts as not answering. */
const REDIS_LIMIT_MS = 1_000;

const IDLE = 'This process takes up no rows now.';

export type Machines = ReturnType<typeof openMachines>;

/**
 * What monitoring may ask of this process: liveness, readiness and metrics.
 *
 * @param role what the process does: `work`, `console`, `events`
 * @param isWorking whether this process does its work; undefined for the console, which is ready if any worker lives
 * @param idle the reason while it does not
 */
export function openMachines(
  context: Context,
  { role, isWorking, idle = IDLE }: { role: string; isWorking?: () => boolean; idle?: string },
) {
  const { account, ledger, keys, queues, outbox, archives, settings } = context;
  const totalsOf = makeRowTotals({ connection: ledger, keys });
  const living = () => countLiving({ connection: ledger, keys });
  const look = async () => {
    const [totals, archived, counts, pace, workers, standings, ended, processes, tasks, servers] = await Promise.all([
      totalsOf(),
      archives.count(),
      queues.counts(),
      lookAtPace(context),
      living(),
      outbox.standings(),
      outbox.counts(),
      context.fleet.read(),
      context.nightlyRuns.read(TASKS),
      context.readServers(),
    ]);
    const isOlder = (await context.marks.older()) !== undefined;
    const notices = { waiting: Object.fromEntries(standings.map((one) => [one.way, one.waiting])), ...ended };
    const [memory] = servers.map(readRedisRoom).sort((a, b) => b.usedBytes / b.mostBytes - a.usedBytes / a.mostBytes);
    // If the data folder cannot be read, the parts that use it report that. The other metrics must still be answered.
    const disk = await lookAtDisk(settings.LIMITLINE_DATA).catch(() => undefined);
    const inbox = await countInbox(settings.LIMITLINE_INBOX).catch(() => undefined);
    return { totals, archived, queues: counts, pace, isOlder, workers, processes, notices, tasks, memory, disk, inbox };
  };
  const metrics = makeMetrics({ account, version: readBuild(), role, look });

  const ready = async (): Promise<Readiness> => {
    if (isWorking && !isWorking()) return { ready: false, why: idle };
    const asked = isWorking ? ledger.ping().then(() => 1) : living();
    const found = await inTime(asked, REDIS_LIMIT_MS, () => undefined).catch(() => undefined);
    if (found === undefined) return { ready: false, why: 'Redis does not answer.' };
    if (found === 0)
      return { ready: false, why: 'No worker is running: limitline work starts one, or says why none can.' };
    return { ready: true };
  };
  const answer = makeMachineAnswers({ token: settings.METRICS_TOKEN, ready, metrics: metrics.text });
  let stop = (): void => {};
  return {
    answer,
    metrics,
    /** Counts calls from now on: answers the service to use and the handler for ended rows. */
    count(service: Service): { service: Service; onRowEnd: (end: { state: string }) => void } {
      const calls = metrics.countCalls();
      stop = metrics.countWaits({ paceNow: service.paceNow, inFlight: service.slots.inFlight });
      return { service: countService(service, calls), onRowEnd: ({ state }) => calls.rowEnded(state) };
    },
    close: (): void => stop(),
  };
}

/** The numbers of waiting and of rejected files of buyers in the drop folder, as this host sees it. */
async function countInbox(folder: string | undefined): Promise<AccountPicture['inbox']> {
  if (folder === undefined) return undefined;
  const isOfBuyers = (name: string) => kindOfName(name) === 'buyers' && !name.endsWith('.problems.csv');
  const countIn = async (dir: string) => (await readdir(dir)).filter(isOfBuyers).length;
  return { waiting: await countIn(folder), rejected: await countIn(join(folder, REJECTED)).catch(() => 0) };
}

/** A service whose calls are counted by result. */
function countService(service: Service, { called, tokenCalled }: Omit<CallMetrics, 'rowEnded'>): Service {
  const { client } = service;
  const hearing = (onTokenCall: () => void) => (): void => {
    tokenCalled();
    onTokenCall();
  };
  const counted =
    <Body>(kind: CallKind, send: (body: Body, call: CallOptions) => Promise<Answered>) =>
    async (body: Body, call: CallOptions): Promise<Answered> => {
      const sentAtMs = performance.now();
      const answer = await send(body, { ...call, onTokenCall: hearing(call.onTokenCall) });
      called(kind, answer.is, performance.now() - sentAtMs);
      return answer;
    };
  return {
    ...service,
    client: {
      ...client,
      authorize: (onTokenCall) => client.authorize(hearing(onTokenCall)),
      renewToken: (refused, onTokenCall) => client.renewToken(refused, hearing(onTokenCall)),
      tryToken: (onTokenCall) => client.tryToken(hearing(onTokenCall)),
      createCompany: counted('company', client.createCompany),
      requestLimit: counted('limit', client.requestLimit),
      uploadDocument: counted('document', client.uploadDocument),
    },
  };
}
