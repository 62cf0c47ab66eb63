import type { Secret } from '../secret.ts';
import { sealedFor } from './factors.ts';
import { isCode, stepOfCode } from './one-time-code.ts';
import { recoveryDigest } from './recovery-codes.ts';
import { unseal } from './seal.ts';

/** What a code is used up by: the step of time of an app's code, or the digest of what may be a recovery code. */
export type MatchedCode = { step: number | ''; digest: string };

/**
 * What a typed code could be, by the user's factor as it stands in Redis; nothing where it is a wrong one of an app. Whether it was
 * used before, and whether there is such a recovery code, is for Redis to say, in the step in which it is used up.
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
