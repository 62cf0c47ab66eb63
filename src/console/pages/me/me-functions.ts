import type { SessionView, UserView } from '../../../people/people.ts';
import type { NewFactor } from '../../sign-in/factor-view.ts';
import type { Coming } from '../../sign-in/people-functions.ts';
import type { ChangeAnswer } from '../../sign-in/sign-in-functions.ts';

/** Whose account it is, by which session, with the password that they have now, and a code where they have a second factor. */
export type Proof = { name: string; token: string; old: string; code: string } & Coming;

/** What was made, or words on why it was not. */
type Done<T = unknown> = { is: 'done'; made: T } | { is: 'no'; words: string };

/** What the page of one's own account can do; made in scripts/console/people/me.ts. */
export type MePageFunctions = {
  /** Nothing for somebody for whom an identity provider speaks: what is theirs is kept there. */
  read: (name: string) => Promise<UserView | undefined>;
  sessions: (by: string, token: string) => Promise<SessionView[]>;
  setPassword: (proof: Proof & { password: string }) => Promise<ChangeAnswer>;
  /** Begins another second factor in the place of the one that there is, which counts until the new one is confirmed. */
  beginFactor: (proof: Proof) => Promise<Done<NewFactor>>;
  confirmFactor: (
    given: { name: string; token: string; code: string } & Coming,
  ) => Promise<ChangeAnswer<readonly string[]>>;
  /** Recovery codes in the place of those that there are. */
  makeCodes: (proof: Proof) => Promise<Done<readonly string[]>>;
  /** Ends one other session, or all of them. Where an identity provider speaks for the person, no password is asked for. */
  endSessions: (proof: Proof, which: { one: string } | 'all others') => Promise<Done>;
};
