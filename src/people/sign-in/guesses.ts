import { createHmac } from 'node:crypto';
import type { SharedKeys } from '../../ledger/schema/keys.ts';
import type { RedisConnection } from '../../lua-script.ts';
import { peopleScript } from '../people-script.ts';
import type { Secret } from '../secret.ts';
import { isUserName } from '../users/user.ts';
import { addressGroups } from './address-group.ts';

/** What is tried; each is counted for itself. */
export type Guessed = 'password' | 'code';

/**
 * How guesses are slowed down (ASVS 5.0, 6.1.1 and 6.3.1). Nobody is ever locked out: whoever knows a name could do that to its user.
 * An account that nobody signs in to takes some 100 tries on the first day and 96 a day from strangers after it.
 */
export type GuessLimits = {
  /** Tries of one account without a wait, then a first wait that doubles with each up to the longest. */
  freeTries: number;
  firstWaitMs: number;
  longestWaitMs: number;
  /**
   * After so long without a try, all is as at first: sooner where nobody has to wait yet, since names that are made up, one a try,
   * must not fill Redis.
   */
  forgetMs: number;
  forgetFewMs: number;
  /**
   * Tries from one place for whatever accounts, of which one comes back after so long. An office may be one place. The wider groups that
   * the place is in have ten times as many, and that again (address-group.ts).
   */
  placeTries: number;
  placeBackMs: number;
  /** For how long who signed in from a place is known there, and has a count of their own. */
  knownMs: number;
};

export const GUESS_LIMITS: GuessLimits = {
  freeTries: 5,
  firstWaitMs: 2_000,
  longestWaitMs: 15 * 60_000,
  forgetMs: 24 * 3_600_000,
  forgetFewMs: 3_600_000,
  placeTries: 50,
  placeBackMs: 20_000,
  knownMs: 30 * 24 * 3_600_000,
};

/** What is known of the user whom a try is about, in the same look; nothing in it where there is none. */
export type TriedUser = {
  epoch: string | undefined;
  roles: string;
  password: string | undefined;
  factor: string | undefined;
  mustChange: boolean;
  /** The password was set by somebody else, and so long ago that it is good for nothing any more. */
  isExpired: boolean;
};

export type Try = { is: 'later'; afterS: number } | { is: 'try'; user: TriedUser; isKnown: boolean; counted: Counted };

/** The keys under which a try was counted, for the script that takes it back where the try was right. */
export type Counted = {
  /** What was counted for the account. */
  account: string;
  /** That the account signed in from there. */
  known: string;
  /** What was counted for the place, and how much: nothing for who was known there. */
  place: string;
  backMs: number;
};

/**
 * Counts tries of passwords and codes, for all hosts together and before anything dear is done. Keys are made of digests: what a
 * person typed as a name may be a password.
 */
export function makeGuesses({
  connection,
  keys,
  secret,
  limits = GUESS_LIMITS,
}: {
  connection: RedisConnection;
  keys: SharedKeys;
  secret: Pick<Secret, 'key'>;
  limits?: GuessLimits;
}) {
  const take = peopleScript(connection, 'take-guess');
  const untake = peopleScript(connection, 'untake-guess');

  /** Nothing where there is no room. */
  const ask = async (
    what: Guessed,
    name: string,
    from: string,
    { onlyKnown, device }: { onlyKnown: boolean; device?: string | undefined },
  ): Promise<Try | undefined> => {
    const key = await secret.key('guesses');
    const digest = (text: string) => createHmac('sha256', key).update(text).digest('base64url').slice(0, 16);
    const [place, ...wider] = addressGroups(from);
    const ofBoth = digest(`both ${name}\n${device === undefined ? place : `device ${device}`}`);
    const [ofName, ofPlace] = [digest(`name ${name}`), digest(place)];
    const buckets = {
      strangers: keys.guesses(what, ofName),
      known: keys.guesses(what, ofBoth),
      marker: keys.guesses('known', ofBoth),
      place: keys.guesses('place', ofPlace),
    };
    // A key of what is no name at all could be any key; there is no user without a name.
    const user = keys.user(isUserName(name) ? name : '');
    const found = (await take(
      [
        ...[buckets.strangers, buckets.known, buckets.marker, buckets.place, user],
        ...wider.map((group) => keys.guesses('place', digest(group))),
      ],
      [
        limits.freeTries,
        limits.firstWaitMs,
        limits.longestWaitMs,
        limits.forgetMs,
        limits.forgetFewMs,
        limits.placeBackMs,
        limits.placeTries,
        onlyKnown ? 1 : 0,
        device === undefined ? 0 : 1,
      ],
    )) as [number, number?, ...(string | null)[]];
    const [waitMs, isKnown, ...fields] = found;
    if (waitMs < 0) return undefined;
    if (waitMs > 0) return { is: 'later', afterS: Math.ceil(waitMs / 1_000) };
    return {
      is: 'try',
      user: triedUser(fields),
      isKnown: isKnown === 1,
      counted: {
        account: isKnown === 1 ? buckets.known : buckets.strangers,
        known: buckets.marker,
        place: buckets.place,
        backMs: isKnown === 1 ? 0 : limits.placeBackMs,
      },
    };
  };

  return {
    /** How long a place is known, for the scripts that write it down. */
    knownMs: limits.knownMs,

    /** Takes off the account's count what was not tried after all. */
    untake: async ({ account }: Counted): Promise<void> => void (await untake([account], [limits.freeTries])),

    /**
     * Asks for a try of a password of `name` from a network address, or another place. It counts as a wrong one from now on; see
     * {@link Counted}.
     *
     * @param onlyKnown there is room for those alone who are known in that place; others are answered `busy`, which costs no write
     * @param device the browser, where it is certain that this person signed in there before: then that is the place, wherever it is
     */
    takePassword: async (name: string, from: string, how: { onlyKnown: boolean; device?: string | undefined }) =>
      (await ask('password', name, from, how)) ?? ({ is: 'busy' } as const),

    /** The same for a code of the second factor, which is compared at once. */
    takeCode: async (name: string, from: string, device?: string): Promise<Try> =>
      (await ask('code', name, from, { onlyKnown: false, device })) ?? { is: 'later', afterS: 1 },
  };
}

export type Guesses = ReturnType<typeof makeGuesses>;

/** What a user without a second factor has to do first: see session-standing.lua. */
export function owedWithoutFactor({ mustChange, roles }: TriedUser): 'password' | 'factor' | undefined {
  if (mustChange) return 'password';
  return roles === 'viewer' ? undefined : 'factor';
}

function triedUser([epoch, roles, password, factor, until, now]: readonly (string | number | null)[]): TriedUser {
  const text = (value: string | number | null | undefined) => (typeof value === 'string' ? value : undefined);
  const mustChange = text(until) !== undefined;
  return {
    epoch: text(epoch),
    roles: text(roles) ?? '',
    password: text(password),
    factor: text(factor),
    mustChange,
    isExpired: mustChange && Number(until) <= Number(now),
  };
}
