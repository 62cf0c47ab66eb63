import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

/** Whose forms are whose: a text that stands for the session, and does not give its token away. */
export function formUser({ signedIn }: Pick<FastifyRequest, 'signedIn'>): string {
  return signedIn ? createHash('sha256').update(signedIn.token).digest('base64url') : 'nobody';
}
