import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../../src/config.ts';
import { messageOf } from '../../src/errors.ts';
import type { Approvals } from '../../src/ledger/approvals/approvals.ts';
import type { SendMarks } from '../../src/ledger/calls/send-marks.ts';
import { type Glance, makeGlances } from '../../src/ledger/counts/glances.ts';
import type { NightlyRuns } from '../../src/ledger/nightly/nightly-runs.ts';
import type { Reports } from '../../src/ledger/nightly/reports.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Keys } from '../../src/ledger/schema/keys.ts';
import type { Log } from '../../src/log.ts';
import type { RedisConnection } from '../../src/lua-script.ts';
import type { NoticeState, Outbox } from '../../src/notices/notice.ts';
import { type CallsHeld, readCallsHeld } from '../../src/pace/calls-held.ts';
import { makeApprovalCurrency } from '../approvals/look-at-approval.ts';
import { type TellDeps, tellDecided } from '../operators/take-decision.ts';
import { readCondition } from './condition.ts';
import { REPORT_SUBJECTS, reportChanges, seeReports } from './nightly-reports.ts';
import { type PortfolioChange, type PortfolioNews, portfolioChanges, subjectsOf } from './portfolio-changes.ts';
import { approvalNotice, portfolioNotice } from './portfolio-notices.ts';
import { lookAtDisk, ROOM_SUBJECTS, readRedisRoom, roomChanges } from './room-changes.ts';
import { SERVICE_SUBJECTS, serviceChanges } from './service-changes.ts';

export type WatchDeps = PortfolioLookDeps & {
  settings: Pick<Settings, 'LIMITLINE_DATA' | 'NOTIFY_FAILURES_ABOVE' | 'NOTIFY_AWAY_AFTER_MIN' | 'NOTIFY_FULL_ABOVE'>;
  /** The `INFO` of each Redis server. */
  readServers: () => Promise<readonly Readonly<Record<string, string>>[]>;
  marks: Pick<SendMarks, 'older'>;
  reports: Pick<Reports, 'list'>;
  nightlyRuns: Pick<NightlyRuns, 'schedule'>;
  /** What holds calls back, and Redis' clock; read from the ledger by default. */
  readCalls?: () => Promise<CallsHeld>;
};

/** The interval of passes, so short that nobody needs to watch a page. Conditions that last for less are mostly not worth a notice. */
const LOOK_EVERY_MS = 10_000;

/**
 * A pass is followed by a rest of this many times its length, so that passes take a twentieth of the time, however many portfolios there
 * are.
 */
const REST_SHARE = 20;

/**
 * A process that takes decisions updates rows every few ms, and sends its notices at the end. If no row changed for this long, in ms, that
 * process has died, and another one sends them.
 */
const DECIDING_MS = 60_000;

/** The subject whose state is the time of the first pass. What happened before that time is not reported. */
const WATCH_SUBJECT = 'watch';

/**
 * Checks every ten seconds what to notify people of, until stopped or aborted. Any number of processes may do so: each change
 * is reported once, and after a crash the next pass reports it.
 */
export function startWatching(deps: WatchDeps, { log, signal }: { log: Log; signal: AbortSignal }) {
  const ending = new AbortController();
  const stopping = AbortSignal.any([signal, ending.signal]);
  const look = makeLook(deps, log);
  const watching = (async () => {
    while (!stopping.aborted) {
      const beganMs = performance.now();
      // The lost connection to Redis is logged by src/redis/connect.ts.
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

/** Runs one pass. Answers the number of notices. Rejects where Redis is away. */
export function watchOnce(deps: WatchDeps, { log, signal }: { log: Log; signal: AbortSignal }): Promise<number> {
  return makeLook(deps, log)(signal);
}

/** Makes a function for one pass. A part that cannot be checked is logged once and stops no other part. */
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
      orNothing('the age of Redis', () => deps.marks.older().then((found) => found !== undefined)),
    ]);
    const service = serviceChanges(held, remember(SERVICE_SUBJECTS), settings.NOTIFY_AWAY_AFTER_MIN * 60_000);
    const rooms = { disk, redis: (servers ?? []).map(readRedisRoom), isOlder: older };
    let arose = await outbox.report([
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
    arose += await tellDecided(deps, { beforeMs: nowMs - DECIDING_MS });
    // The time of the first pass is recorded last, so that after a crash the next pass is the first one again.
    if (sinceMs === undefined) await outbox.report([{ subject: WATCH_SUBJECT, was: '', state: `since ${nowMs}` }]);
    return arose;
  };
}

type PortfolioLookDeps = TellDeps & {
  ledger: RedisConnection;
  keys: Keys;
  portfolios: Pick<Portfolios, 'read' | 'causes' | 'allImports'>;
  approvals: Pick<Approvals, 'read' | 'waitingIds'>;
  outbox: Outbox;
};

/**
 * Finds changes of all portfolios, and sends notices. Reads no rows: without news, a portfolio costs four commands of a script.
 * Answers the number of notices.
 *
 * @param rules.sinceMs when the first pass was; undefined in that pass, which only stores states
 * @param rules.isMending the service seems to be back: finished portfolios are reported after that
 */
async function lookAtPortfolios(
  deps: PortfolioLookDeps,
  rules: Parameters<typeof portfolioChanges>[2] & { isMending: boolean; signal: AbortSignal },
): Promise<number> {
  let arose = 0;
  for await (const glances of makeGlances({ connection: deps.ledger, keys: deps.keys })()) {
    if (rules.signal.aborted) return arose;
    const changes = await changesOf(glances, deps, rules);
    arose += await deps.outbox.report(
      changes
        .filter(({ change }) => !change.tells)
        .map(({ change: { subject, was, state } }) => ({ subject, was, state })),
    );
    const news = changes.filter(({ change }) => change.tells);
    for (let from = 0; from < news.length && !rules.signal.aborted; from += READ_AT_ONCE) {
      const states = await Promise.all(
        news.slice(from, from + READ_AT_ONCE).map(({ name, change }) => withNotice(name, change, deps, rules.nowMs)),
      );
      arose += await deps.outbox.report(states.flat());
    }
  }
  return arose;
}

/** Sends notices of approvals that are new. Answers the number of notices. */
async function lookAtApprovals(
  { ledger, keys, portfolios, approvals, outbox }: PortfolioLookDeps,
  { sinceMs }: { sinceMs: number | undefined },
): Promise<number> {
  const waiting = await approvals.waitingIds();
  const currencyOf = makeApprovalCurrency({ portfolios });
  let arose = 0;
  for (let from = 0; from < waiting.length; from += COMPARED_AT_ONCE) {
    const subjects = waiting.slice(from, from + COMPARED_AT_ONCE).map(({ id }) => ({ id, subject: `approval ${id}` }));
    const known = await ledger.hmget(keys.noticeStates, ...subjects.map(({ subject }) => subject));
    for (const { id, subject } of subjects.filter((_subject, place) => known[place] === null)) {
      const approval = await approvals.read(id);
      if (approval?.standing !== 'waiting') continue;
      const currency = await currencyOf(approval);
      const notice = sinceMs === undefined ? {} : { notice: approvalNotice(approval, currency) };
      arose += await outbox.report([{ subject, was: '', state: 'awaiting', ...notice }]);
    }
  }
  return arose;
}

/** Reads all stored states of system conditions at once; answers a lookup by subject. */
async function readRemembered({ ledger, keys }: WatchDeps) {
  const subjects = [WATCH_SUBJECT, ...[SERVICE_SUBJECTS, ROOM_SUBJECTS, REPORT_SUBJECTS].flatMap(Object.values)];
  const found = await ledger.hmget(keys.noticeStates, ...subjects);
  const known = new Map(subjects.map((subject, place) => [subject, found[place] ?? undefined]));
  return <Name extends string>(wanted: Readonly<Record<Name, string>>) =>
    Object.fromEntries(Object.entries<string>(wanted).map(([name, subject]) => [name, known.get(subject)])) as {
      [Subject in Name]: string | undefined;
    };
}

/** How many portfolios are read at a time for notices. Most passes read none. */
const READ_AT_ONCE = 10;

/** How many approvals are compared in one command. */
const COMPARED_AT_ONCE = 500;

type NamedChange = { name: string; change: PortfolioChange };

async function changesOf(
  glances: readonly Glance[],
  { ledger, keys }: PortfolioLookDeps,
  rules: Parameters<typeof lookAtPortfolios>[1],
): Promise<NamedChange[]> {
  if (glances.length === 0) return [];
  const subjects = glances.flatMap(({ name }) => Object.values(subjectsOf(name)));
  const known = await ledger.hmget(keys.noticeStates, ...subjects);
  return glances.flatMap((glance, place) => {
    const [settled, paused, failures] = known.slice(3 * place, 3 * place + 3).map((state) => state ?? undefined);
    const changes = portfolioChanges(glance, { settled, paused, failures }, rules);
    const told = changes.filter(({ tells }) => !rules.isMending || tells?.is !== 'settled');
    return told.map((change) => ({ name: glance.name, change }));
  });
}

/** Adds the notice, with the current state. Leaves out a portfolio that is no longer finished: the next pass reports it. */
async function withNotice(
  name: string,
  { tells, ...change }: PortfolioChange,
  { portfolios, statusMeanings }: PortfolioLookDeps,
  nowMs: number,
): Promise<NoticeState[]> {
  const news = tells as PortfolioNews;
  const [state, causes, meanings] = await Promise.all([
    portfolios.read(name),
    portfolios.causes(name),
    statusMeanings.read(),
  ]);
  if (news.is === 'settled' && state.finishedMs !== news.atMs) return [];
  return [{ ...change, notice: portfolioNotice(news, { state, causes, meanings, nowMs }) }];
}
