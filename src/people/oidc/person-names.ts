import { createHash } from 'node:crypto';
import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import type { Claims } from './provider.ts';

/** Enough for an address of a person, and little enough for a table. */
const LONGEST = 60;

/** What nobody sees, or what turns the words around it; and brackets, which are ours: no part of a name that others read. */
const NOT_OURS = /[\p{C}\p{Zl}\p{Zp}()]/gu;

/** What somebody is called by an identity provider: the first of its claims that says anything. */
export function calledBy(claims: Claims): string {
  const names = [claims.preferred_username, claims.email, claims.sub].map((name) => {
    if (typeof name !== 'string') return '';
    return [...name.replace(NOT_OURS, '').replace(/\s+/g, ' ').trim()].slice(0, LONGEST).join('').trim();
  });
  return names.find((name) => name !== '') ?? 'somebody';
}

/**
 * The names by which others read of people of identity providers, see name-for.lua. Who somebody is, is `iss` and `sub`
 * together (OpenID Connect Core 1.0, section 5.7); what they are called there may change, and may be anybody's choice.
 */
export function makePersonNames({ connection, keys }: { connection: RedisConnection; keys: { subjects: string } }) {
  const nameFor = makeLuaScript(connection, new URL('./name-for.lua', import.meta.url));
  return async (claims: Claims): Promise<string> => {
    const digest = createHash('sha256')
      .update(JSON.stringify([claims.iss, claims.sub]))
      .digest('hex');
    return String(await nameFor([keys.subjects], [digest, calledBy(claims)]));
  };
}
