import type { LimitlineError } from '../../errors.ts';
import type { SharedKeys } from '../../ledger/schema/keys.ts';
import type { RedisConnection } from '../../lua-script.ts';
import type { Secret } from '../secret.ts';
import { type ChangeUser, isUserName, makeEpoch } from '../users/user.ts';
import {
  type FactorSecret,
  factorSecret,
  isCode,
  makeFactorBytes,
  makeRecoveryCodes,
  recoveryDigest,
  seal,
  stepOfCode,
  unseal,
} from './codes.ts';

type FactorDeps = {
  connection: RedisConnection;
  keys: SharedKeys;
  secret: Pick<Secret, 'key'>;
  change: ChangeUser;
  unknownUser: (name: string) => LimitlineError;
  now: () => number;
};

/** Second factors of users (ASVS 5.0, 6.5): codes of an app (RFC 6238), and recovery codes for a lost app. */
export function makeFactors({ connection, keys, secret, change, unknownUser, now }: FactorDeps) {
  const sealed = async (bytes: Uint8Array, name: string) => seal(bytes, await secret.key('factors'), sealedFor(name));

  return {
    /**
     * Makes a secret for an app. It takes effect once a code of it is given. Until then the secret stays the same, so that a reloaded page
     * shows the one that the app may already have. An existing factor stays valid in the meantime.
     *
     * @throws LimitlineError `NOT_FOUND`
     */
    async beginFactor(name: string): Promise<FactorSecret> {
      const pending = await pendingOf(name);
      if (pending !== undefined) return factorSecret(pending.bytes, name);
      const bytes = makeFactorBytes();
      if (await change(name, { fields: { pending: await sealed(bytes, name) } })) return factorSecret(bytes, name);
      throw unknownUser(name);
    },

    /**
     * Makes the secret the user's second factor, proved by a code of the app. Ends all sessions of the user except `keep`.
     *
     * @returns the recovery codes, which are shown once and not stored; undefined for a wrong code
     */
    async confirmFactor(
      name: string,
      code: string,
      { keep }: { keep?: string | undefined } = {},
    ): Promise<string[] | undefined> {
      const pending = await pendingOf(name);
      if (pending === undefined) return undefined;
      const step = stepOfCode(pending.bytes, code.trim(), now());
      if (step === undefined) return undefined;
      const codes = makeRecoveryCodes();
      const isDone = await change(name, {
        fields: { factor: pending.text, pending: '', step, recovery: await digestsOf(codes, name) },
        expected: { field: 'pending', value: pending.text },
        epoch: makeEpoch(),
        keep,
        isCoded: true,
      });
      return isDone ? codes : undefined;
    },

    /**
     * Removes the second factor and its recovery codes, and ends all sessions of the user.
     *
     * @throws LimitlineError `NOT_FOUND`
     */
    async resetFactor(name: string): Promise<void> {
      const fields = { factor: '', pending: '', step: '', recovery: '' };
      if (!(await change(name, { fields, epoch: makeEpoch() }))) throw unknownUser(name);
    },

    /**
     * Replaces the recovery codes.
     *
     * @throws LimitlineError `NOT_FOUND`
     */
    async renewRecoveryCodes(name: string): Promise<string[]> {
      const codes = makeRecoveryCodes();
      if (!(await change(name, { fields: { recovery: await digestsOf(codes, name) } }))) throw unknownUser(name);
      return codes;
    },
  };

  async function pendingOf(name: string): Promise<{ text: string; bytes: Uint8Array } | undefined> {
    const text = isUserName(name) ? await connection.hget(keys.user(name), 'pending') : null;
    const bytes = text === null ? undefined : unseal(text, await secret.key('factors'), sealedFor(name));
    return text === null || bytes === undefined ? undefined : { text, bytes };
  }

  async function digestsOf(codes: readonly string[], name: string): Promise<string> {
    const key = await secret.key('recovery-codes');
    return codes.map((code) => recoveryDigest(code, name, key)).join(' ');
  }
}

/** How a code will be used up: the time step of an app's code, or the digest of a possible recovery code. */
export type MatchedCode = { step: number | ''; digest: string };

/**
 * What a typed code may be, for a user's stored factor; undefined for a wrong code of an app. A script decides later, as it uses the code up,
 * whether it was used before and whether such a recovery code exists.
 */
export async function matchCode(
  code: string,
  { name, factor, nowMs }: { name: string; factor: string; nowMs: number },
  secret: Pick<Secret, 'key'>,
): Promise<MatchedCode | undefined> {
  // Apps show a code with a space in the middle.
  const typed = code.replace(/\s+/g, '');
  if (!isCode(typed)) {
    return { step: '', digest: recoveryDigest(typed.slice(0, 100), name, await secret.key('recovery-codes')) };
  }
  const bytes = unseal(factor, await secret.key('factors'), sealedFor(name));
  const step = bytes === undefined ? undefined : stepOfCode(bytes, typed, nowMs);
  return step === undefined ? undefined : { step, digest: '' };
}

/** The context to which a sealed factor is bound. */
const sealedFor = (name: string): string => `second factor of ${name}`;
