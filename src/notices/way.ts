import type { Notice, NoticeKind } from './notice.ts';

/** On which ways notices reach people. The scripts know these names too (lua/end-way.lua). */
export const WAYS = ['webhook', 'mail'] as const;
export type WayName = (typeof WAYS)[number];

/** What is sent: a notice, or a try whether one would arrive. */
export type Message = Omit<Notice, 'kind'> & {
  /** The same for each try, so that whoever receives it twice can tell. */
  id: string;
  kind: NoticeKind | 'test';
  /** Of whose portfolios it speaks. */
  account: string;
  /** The page in the console; nothing where it is not known under which address people open it. */
  link: string | undefined;
};

/** What came of sending; `words` are for people, and hold no secret and nothing that the other side chose. */
export type SendResult =
  | { is: 'delivered'; words: string }
  | {
      is: 'failed';
      words: string;
      /** `way`: any other would fail as well. `notice`: this one alone. `ours`: the process stopped, nothing is known. */
      fault: 'way' | 'notice' | 'ours';
      /** Whether it may pass by itself within seconds; what a person has to mend is tried less often. */
      passes: boolean;
      /** So long the other side asked to wait, in ms. */
      askedMs?: number;
    };

export type Way = {
  name: WayName;
  /** The host that it goes to, for people: addresses of webhooks are secrets. */
  where: string;
  /** Ends within its own limits (see NOTICE_LIMITS.leaseMs), and at once when the signal is aborted; never rejects. */
  send(message: Message, options: { signal: AbortSignal }): Promise<SendResult>;
};
