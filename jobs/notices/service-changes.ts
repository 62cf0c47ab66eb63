import { type CallKind, KINDS } from '../../src/call-kind.ts';
import type { Notice } from '../../src/notices/notice.ts';
import type { CallsHeld } from '../../src/pace/calls-held.ts';
import { type Condition, type Judged, judge, type Observation, readCondition } from './condition.ts';

/**
 * How recent a wait or a probe must be to count, in ms. While all calls wait, one is tried after four seconds at most
 * (src/pace/pace-scripts.ts). A tripped breaker whose probe has been due for longer has no rows to try.
 */
const WAITED_LATELY_MS = 15_000;
const TRIED_LATELY_MS = 60_000;

/** How long calls must get through to the service before it counts as back. Short recoveries do not count. */
const BACK_AFTER_MS = 2 * 60_000;

/**
 * How long credentials must be refused before that is reported, and accepted before it counts as over. A token endpoint may refuse for a
 * moment, for example during an update.
 */
const REFUSED_AFTER_MS = 60_000;

/** The subjects of the two conditions of the service: whether calls get through to it, and whether it accepts the credentials. */
export const SERVICE_SUBJECTS = { service: 'service', credentials: 'credentials' } as const;

/** A change of a condition's stored state, with its notice where one is due. */
export type SystemChange = { subject: string; was: string; state: string; notice?: Notice };

/**
 * Checks whether calls get through to the service, and whether it accepts the credentials.
 *
 * @param awayAfterMs after so long without any call getting through, the service is reported as away
 */
export function serviceChanges(
  held: CallsHeld,
  remembered: { service?: string | undefined; credentials?: string | undefined },
  awayAfterMs: number,
): SystemChange[] {
  // The mark has both counters: the call that resets a breaker may be counted before the reset, or never.
  const mark = `${held.accepted}:${held.resetMs}`;
  const seen = (before: string | undefined, isBad: boolean) => {
    return { observed: observationOf(isBad, readCondition(before), mark), mark };
  };
  const isRefused = isBlockedBy(held, (by) => by === 'credentials');
  const isTripped = held.tripped.length > 0 && (held.isTried || held.probeMs > held.nowMs - TRIED_LATELY_MS);
  const isBlocked = isBlockedBy(held, (by) => by !== 'credentials');

  // A service that refuses the credentials does answer, so it tells nothing about being away.
  const ofService = isRefused ? { observed: undefined, mark } : seen(remembered.service, isBlocked);
  const service = judge(remembered.service, isTripped ? { observed: 'bad', mark } : ofService, held.nowMs, {
    afterMs: awayAfterMs,
    mendMs: BACK_AFTER_MS,
  });
  const credentials = judge(remembered.credentials, seen(remembered.credentials, isRefused), held.nowMs, {
    afterMs: REFUSED_AFTER_MS,
    mendMs: REFUSED_AFTER_MS,
  });
  return [
    ...systemChangeOf(SERVICE_SUBJECTS.service, remembered.service, service, serviceNotice(service, held)),
    ...systemChangeOf(
      SERVICE_SUBJECTS.credentials,
      remembered.credentials,
      credentials,
      credentialsNotice(credentials, held),
    ),
  ];
}

/** The change after a check, if there is one. */
export function systemChangeOf(
  subject: string,
  before: string | undefined,
  { state }: Judged,
  notice: Notice | undefined,
): SystemChange[] {
  if (state === undefined) return [];
  return [{ subject, was: before ?? '', state, ...(notice ? { notice } : {}) }];
}

/**
 * The observation is bad while calls are held back and none got through since the last check. It is well once a call got through,
 * and stays so until calls are held back again. It is unknown while nobody calls.
 */
function observationOf(isBad: boolean, { is, mark }: Condition, seen: string): Observation {
  const gotThrough = mark !== '' && !seen.startsWith('0:') && seen !== mark;
  if (isBad) return gotThrough ? 'well' : 'bad';
  return gotThrough || is === 'mending' ? 'well' : undefined;
}

function isBlockedBy({ blocked, nowMs }: CallsHeld, isMeant: (by: string) => boolean): boolean {
  const isOver = blocked === undefined || blocked.gotThrough || blocked.untilMs <= nowMs - WAITED_LATELY_MS;
  return !isOver && isMeant(blocked.by);
}

function serviceNotice({ tells }: Judged, held: CallsHeld): Notice | undefined {
  if (!tells) return undefined;
  const span = spanText(tells.forMs);
  if (tells.is === 'well') {
    const title = `The service is back: calls get through again after ${span}`;
    const facts = [
      { term: 'What now', what: 'rows go on by themselves; held ones wait for a person to say what became of them' },
    ];
    return { kind: 'back', title, facts, path: '/held', atMs: held.nowMs };
  }
  const calls = held.tripped.length > 0 ? kindsText(held.tripped) : 'calls';
  const title = `The service is away: no ${calls} have got through for ${span}`;
  const facts = [
    { term: 'Why', what: whyText(held) },
    { term: 'What now', what: 'no row is lost: they wait, and go on by themselves as soon as calls get through' },
  ];
  return { kind: 'away', title, facts, path: '/health', atMs: held.nowMs };
}

function credentialsNotice({ tells }: Judged, { nowMs }: CallsHeld): Notice | undefined {
  if (!tells) return undefined;
  const span = spanText(tells.forMs);
  if (tells.is === 'well') {
    const title = `The service takes the credentials again, after ${span}`;
    return {
      kind: 'back',
      title,
      facts: [{ term: 'What now', what: 'rows go on by themselves' }],
      path: '/health',
      atMs: nowMs,
    };
  }
  const facts = [
    { term: 'What now', what: 'no row is lost: they wait until the credentials are right' },
    {
      term: 'What to do',
      what: 'check SERVICE_CLIENT_ID, SERVICE_CLIENT_SECRET, SERVICE_TOKEN_FIELD and SERVICE_URL; after a change, stop each process and start it again',
    },
  ];
  return {
    kind: 'credentials',
    title: `For ${span} now, the service has refused the credentials`,
    facts,
    path: '/health',
    atMs: nowMs,
  };
}

const kindsText = (kinds: readonly CallKind[]): string => kinds.map((kind) => KINDS[kind].calls).join(' and ');

function whyText({ tripped, blocked }: CallsHeld): string {
  if (tripped.length > 0) return `nobody knows what became of the last ${kindsText(tripped)}`;
  switch (blocked?.by) {
    case 'asked':
      return 'the service asks to wait';
    case 'limit':
      return 'the service says that calls come too fast, and takes none';
    case 'replicas':
      return 'no replica of Redis confirms what is written down before a call';
    case 'memory':
      return 'the memory of Redis is nearly full';
    default:
      return 'the service does not answer';
  }
}

/** A duration in one unit: `50 seconds`, `12 minutes`, `5.5 hours`, `3 days`. */
function spanText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 90) return `${seconds} seconds`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} minutes`;
  if (seconds < 172_800) return `${Math.round(seconds / 360) / 10} hours`;
  return `${Math.round(seconds / 86_400)} days`;
}
