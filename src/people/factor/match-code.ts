import type { Secret } from '../secret.ts';
import { sealedFor } from './factors.ts';
import { isCode, stepOfCode } from './one-time-code.ts';
import { recoveryDigest } from './recovery-codes.ts';
import { unseal } from './seal.ts';

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
