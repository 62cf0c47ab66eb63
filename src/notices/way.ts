import type { Notice, NoticeKind } from './notice.ts';

/** The channels by which notices reach people. The scripts know these names too (lua/end-way.lua). */
export const WAYS = ['webhook', 'mail'] as const;
export type WayName = (typeof WAYS)[number];

/** What is sent: a notice, or a test message. */
export type Message = Omit<Notice, 'kind'> & {
  /** The same for each attempt, so that a receiver can recognize a second copy. */
  id: string;
  kind: NoticeKind | 'test';
  /** The account whose portfolios it is about. */
  account: string;
  /** The console page; undefined if the console's URL is not known. */
  link: string | undefined;
};

/** The outcome of sending; `words` are for people, without secrets and without text of the receiver. */
export type SendResult =
  | { is: 'delivered'; words: string }
  | {
      is: 'failed';
      words: string;
      /** `way`: the channel, so any other notice would fail too. `notice`: only this notice. `ours`: the process stopped, the outcome is unknown. */
      fault: 'way' | 'notice' | 'ours';
      /** Whether it may pass by itself within seconds; a fault that a person has to fix is retried less often. */
      passes: boolean;
      /** The wait that the receiver asked for, in ms. */
      askedMs?: number;
    };

export type Way = {
  name: WayName;
  /** The receiving host, for people; URLs of webhooks are secrets. */
  where: string;
  /** Ends within its own time limits (below NOTICE_LIMITS.leaseMs), and at once when the signal is aborted; never rejects. */
  send(message: Message, options: { signal: AbortSignal }): Promise<SendResult>;
};
