import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../../src/config.ts';
import { messageOf } from '../../src/errors.ts';
import type { SendMarks } from '../../src/ledger/calls/send-marks.ts';
import type { NightlyRuns } from '../../src/ledger/nightly/nightly-runs.ts';
import type { Reports } from '../../src/ledger/nightly/reports.ts';
import type { Log } from '../../src/log.ts';
import { type CallsHeld, readCallsHeld } from '../../src/pace/calls-held.ts';
import { readCondition } from './condition.ts';
import { lookAtApprovals, lookAtPortfolios, type PortfolioLookDeps } from './look-at-portfolios.ts';
import { lookAtDisk, readRedisRoom } from './look-at-rooms.ts';
import { seeReports } from './nightly-reports.ts';
import { REPORT_SUBJECTS, reportChanges } from './report-changes.ts';
import { ROOM_SUBJECTS, roomChanges } from './room-changes.ts';
import { SERVICE_SUBJECTS, serviceChanges } from './service-changes.ts';

/** What a look needs of a context. */
export type WatchDeps = PortfolioLookDeps & {
  settings: Pick<Settings, 'LIMITLINE_DATA' | 'NOTIFY_FAILURES_ABOVE' | 'NOTIFY_AWAY_AFTER_MIN' | 'NOTIFY_FULL_ABOVE'>;
  /** What each server of Redis says of itself, as `INFO` has it. */
  readServers: () => Promise<readonly Readonly<Record<string, string>>[]>;
  marks: Pick<SendMarks, 'older'>;
  reports: Pick<Reports, 'list'>;
  nightlyRuns: Pick<NightlyRuns, 'schedule'>;
  /** What holds calls back, and the server's clock; as the ledger has it where nothing else is given. */
  readCalls?: () => Promise<CallsHeld>;
};

/** Who is told within seconds need not look at a page; and what lasts for less is mostly not worth a message. */
const LOOK_EVERY_MS = 10_000;

/** Looks take a twentieth of the time at most, however many portfolios there are. */
const REST_SHARE = 20;

/** By which it is remembered when somebody looked for the first time: what was before that is nobody's news. */
const WATCH_SUBJECT = 'watch';

/**
 * Looks every ten seconds what there is to be told of, until it is stopped or the signal is aborted. Any number of processes may
 * look: what changed is told once, and whoever dies in the middle leaves it to the next look.
 */
export function startWatching(deps: WatchDeps, { log, signal }: { log: Log; signal: AbortSignal }) {
  const ending = new AbortController();
  const stopping = AbortSignal.any([signal, ending.signal]);
  const look = makeLook(deps, log);
  const watching = (async () => {
    while (!stopping.aborted) {
      const beganMs = performance.now();
      // While Redis is away, that is said by others.
      await look(stopping).catch((error) => log.debug({ reason: messageOf(error) }, 'could not look what to tell'));
      const tookMs = performance.now() - beganMs;
      await sleep(Math.max(LOOK_EVERY_MS, REST_SHARE * tookMs), undefined, { signal: stopping }).catch(() => {});
    }
  })();
  return {
    async stop(): Promise<void> {
      ending.abort();
      await watching;
    },
  };
}

/** Looks once. Answers how many notices arose. Rejects where Redis is away. */
export function watchOnce(deps: WatchDeps, { log, signal }: { log: Log; signal: AbortSignal }): Promise<number> {
  return makeLook(deps, log)(signal);
}

/** Makes a function that looks at everything once. What cannot be looked at is said once, and keeps nothing else from being told. */
export function makeLook(deps: WatchDeps, log: Log): (signal: AbortSignal) => Promise<number> {
  const { ledger, keys, outbox, settings, readCalls = () => readCallsHeld(ledger, keys) } = deps;
  const said = new Set<string>();

  const orNothing = async <T>(what: string, ask: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await ask();
    } catch (error) {
      const reason = messageOf(error);
      if (!said.has(`${what} ${reason}`))
        log.warn({ reason }, `${what} could not be looked at, so nobody is told of it`);
      said.add(`${what} ${reason}`);
      return undefined;
    }
  };

  return async (signal) => {
    const [held, remember] = await Promise.all([readCalls(), readRemembered(deps)]);
    const { nowMs } = held;
    const [, since] = remember({ watch: WATCH_SUBJECT }).watch?.split(' ') ?? [];
    const sinceMs = since === undefined ? undefined : Number(since);

    const [disk, servers, reports, older] = await Promise.all([
      orNothing('the disk', () => lookAtDisk(settings.LIMITLINE_DATA)),
      orNothing('the room of Redis', deps.readServers),
      orNothing('the nightly reports', () => seeReports(deps, nowMs)),
      orNothing('whether Redis is older than what was sent', () =>
        deps.marks.older().then((found) => found !== undefined),
      ),
    ]);
    const service = serviceChanges(held, remember(SERVICE_SUBJECTS), settings.NOTIFY_AWAY_AFTER_MIN * 60_000);
    const rooms = { disk, redis: (servers ?? []).map(readRedisRoom), isOlder: older };
    let arose = await outbox.tell([
      ...service,
      ...roomChanges(rooms, remember(ROOM_SUBJECTS), { nowMs, fullAbove: settings.NOTIFY_FULL_ABOVE }),
      ...(reports ? reportChanges(reports, remember(REPORT_SUBJECTS), { nowMs, sinceMs }) : []),
    ]);
    const changed = Object.fromEntries(service.map(({ subject, state }) => [subject, state]));
    const standing = Object.values({ ...remember(SERVICE_SUBJECTS), ...changed });
    const isMending = standing.some((state) => readCondition(state).is === 'mending');
    const rules = { nowMs, sinceMs, failuresAbove: settings.NOTIFY_FAILURES_ABOVE, isMending, signal };
    arose += await lookAtPortfolios(deps, rules);
    if (signal.aborted) return arose;
    arose += await lookAtApprovals(deps, rules);
    // Last of all, so that whoever dies before leaves the first look to another.
    if (sinceMs === undefined) await outbox.tell([{ subject: WATCH_SUBJECT, was: '', state: `since ${nowMs}` }]);
    return arose;
  };
}

/** Reads all that is remembered of the system at once, and answers it by subjects. */
async function readRemembered({ ledger, keys }: WatchDeps) {
  const subjects = [WATCH_SUBJECT, ...[SERVICE_SUBJECTS, ROOM_SUBJECTS, REPORT_SUBJECTS].flatMap(Object.values)];
  const found = await ledger.hmget(keys.noticeStates, ...subjects);
  const known = new Map(subjects.map((subject, place) => [subject, found[place] ?? undefined]));
  return <Name extends string>(wanted: Readonly<Record<Name, string>>) =>
    Object.fromEntries(Object.entries<string>(wanted).map(([name, subject]) => [name, known.get(subject)])) as {
      [Subject in Name]: string | undefined;
    };
}
