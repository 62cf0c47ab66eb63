import { createHmac } from 'node:crypto';
import type { SharedKeys } from '../../ledger/schema/keys.ts';
import type { RedisConnection } from '../../lua-script.ts';
import { DAY_MS, HOUR_MS } from '../../time-units.ts';
import { peopleScript } from '../people-script.ts';
import type { Secret } from '../secret.ts';
import { isUserName } from '../users/user.ts';
import { addressGroups } from './address-group.ts';

/** The kind of secret that is tried. Attempts at passwords and at codes are counted separately. */
type Guessed = 'password' | 'code';

/**
 * Limits that slow down guessing (ASVS 5.0, 6.1.1 and 6.3.1). Nobody is ever locked out, since anybody who knows a name could do that to its
 * user. Strangers get some 100 attempts at an account on the first day, and 96 a day after it.
 */
export type GuessLimits = {
  /** Attempts at one account without a wait; then the first wait, doubled with each attempt up to the longest. */
  freeTries: number;
  firstWaitMs: number;
  longestWaitMs: number;
  /**
   * Time without an attempt after which an account's counter is deleted; `forgetFewMs` while nobody has to wait yet, so that invented names,
   * each tried once, do not fill Redis.
   */
  forgetMs: number;
  forgetFewMs: number;
  /**
   * Attempts from one address at any accounts, and the time after which one more is allowed again. All people of an office may have the same
   * address. Each wider group of the address has ten times as many attempts as the one before (address-group.ts).
   */
  placeTries: number;
  placeBackMs: number;
  /** For how long a person is known at an address after signing in, with a counter of their own. */
  knownMs: number;
};

export const GUESS_LIMITS: GuessLimits = {
  freeTries: 5,
  firstWaitMs: 2_000,
  longestWaitMs: 15 * 60_000,
  forgetMs: DAY_MS,
  forgetFewMs: HOUR_MS,
  placeTries: 50,
  placeBackMs: 20_000,
  knownMs: 30 * DAY_MS,
};

/** The user whom an attempt is about, read by the script that counts the attempt; fields are empty if there is none. */
type TriedUser = {
  epoch: string | undefined;
  roles: string;
  password: string | undefined;
  factor: string | undefined;
  mustChange: boolean;
  /** Whether somebody else set the password so long ago that it is no longer valid. */
  isExpired: boolean;
};

export type Try = { is: 'later'; afterS: number } | { is: 'try'; user: TriedUser; isKnown: boolean; counted: Counted };

/** The keys under which an attempt was counted, to take it back if it was right. */
export type Counted = {
  /** Counter of the account. */
  account: string;
  /** Mark that the account signed in from this address. */
  known: string;
  /** Counter of the address. */
  place: string;
  /** What the attempt added to the counter of the address, in ms; 0 if the person is known at that address. */
  backMs: number;
};

/**
 * Counts attempts at passwords and codes, for all hosts together and before any expensive work. The keys contain digests only, since a typed
 * name may be a password.
 */
export function makeGuesses(given: {
  connection: RedisConnection;
  keys: SharedKeys;
  secret: Pick<Secret, 'key'>;
  limits?: GuessLimits;
}) {
  const { connection, keys, secret, limits = GUESS_LIMITS } = given;
  const take = peopleScript(connection, 'sign-in', 'take-guess');
  const untake = peopleScript(connection, 'sign-in', 'untake-guess');

  /**
   * Counts an attempt, and answers whether it may be made now. The answer is undefined where `onlyKnown` is set and the user is not known at
   * this address.
   */
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
    // An invalid name could make any key, so it is replaced by no name: that key has no user.
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
    /** How long a person stays known at an address, for the scripts that write the mark. */
    knownMs: limits.knownMs,

    /** Takes back the count of an attempt that was not made after all. */
    untake: async ({ account }: Counted): Promise<void> => void (await untake([account], [limits.freeTries])),

    /**
     * Asks for an attempt at the password of `name` from a network address. It counts as wrong from now on; see {@link Counted}.
     *
     * @param onlyKnown there is room only for people known at the address; others get `busy`, without a write
     * @param device the browser in which this person certainly signed in before; it then counts in place of the address
     */
    takePassword: async (name: string, from: string, how: { onlyKnown: boolean; device?: string | undefined }) =>
      (await ask('password', name, from, how)) ?? ({ is: 'busy' } as const),

    /** Asks for an attempt at a code of the second factor, which is compared at once; it counts as wrong until it is taken back. */
    takeCode: async (name: string, from: string, device?: string): Promise<Try> =>
      (await ask('code', name, from, { onlyKnown: false, device })) ?? { is: 'later', afterS: 1 },
  };
}

export type Guesses = ReturnType<typeof makeGuesses>;

/** What a user without a second factor has to do first: see session-standing in sessions.lua. */
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
