import { DAY_MS, HOUR_MS } from '../time-units.ts';
import type { Notice, NoticeKind } from './notice.ts';

/** The channels by which notices reach people. The scripts know these names too (lua/end-way in notices.lua). */
export const WAYS = ['webhook', 'mail'] as const;
export type WayName = (typeof WAYS)[number];

/** The content of what is sent on a channel: that of a notice, or a test message. */
export type Message = Omit<Notice, 'kind'> & {
  /** An id that is the same for each attempt, so that a receiver can recognize a second copy. */
  id: string;
  kind: NoticeKind | 'test';
  /** The account whose portfolios the message is about. */
  account: string;
  /** The console page; undefined if the console's URL is not known. */
  link: string | undefined;
};

/**
 * What is at fault. `way`: the channel, so any other notice would fail too. `notice`: this notice alone. `ours`: this process, which
 * stopped, so the outcome is unknown.
 */
export type SendFault = 'way' | 'notice' | 'ours';

/** The outcome of sending; `words` are for people, without secrets and without text of the receiver. */
export type SendResult =
  | { is: 'delivered'; words: string }
  | {
      is: 'failed';
      words: string;
      fault: SendFault;
      /** Whether the fault may pass by itself within seconds; one that a person has to fix is retried less often. */
      passes: boolean;
      /** The wait that the receiver asked for, in ms. */
      askedMs?: number;
    };

export type Way = {
  name: WayName;
  /** The receiving host, for people; URLs of webhooks are secrets. */
  where: string;
  /**
   * Sends a message. It ends within its own time limits (below NOTICE_LIMITS.leaseMs), or at once when the signal is aborted; it never
   * rejects.
   */
  send(message: Message, options: { signal: AbortSignal }): Promise<SendResult>;
};

/** The wait after the first fault that may pass by itself; later waits are longer. */
const FIRST_MS = 5_000;

/** The wait after the first fault that a person has to fix; later waits are longer. */
const FIRST_SLOW_MS = 5 * 60_000;

/** Longest wait between two attempts, in ms: few attempts at a receiver that is away for days, and one soon after its return. */
const MOST_MS = HOUR_MS;

/** Longest wait that a receiver may ask for, so that a notice is not given up because of it. */
const MOST_ASKED_MS = DAY_MS;

/**
 * The wait before the next attempt, in ms: doubled with each failure, and randomized so that processes do not retry at the same time.
 *
 * @param failures in a row, including the last: 1 or more
 * @param askedMs the wait that the receiver asked for
 * @param random from 0 to 1
 */
export function backoffMs(
  { failures, passes, askedMs = 0 }: { failures: number; passes: boolean; askedMs?: number | undefined },
  random: number = Math.random(),
): number {
  const first = passes ? FIRST_MS : FIRST_SLOW_MS;
  const waitMs = Math.min(MOST_MS, first * 2 ** Math.min(failures - 1, 20)) * (0.8 + 0.4 * random);
  return Math.round(Math.max(waitMs, Math.min(askedMs, MOST_ASKED_MS)));
}

/** User and password of a URL, decoded; a percent sign that begins no escape is literal. */
export function userInfoOf({ username, password }: URL): { user: string; pass: string } | undefined {
  return username === '' && password === '' ? undefined : { user: decoded(username), pass: decoded(password) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replace(/%(?![\da-f]{2})/gi, '%25'));
  } catch {
    return text;
  }
}
