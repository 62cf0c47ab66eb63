import { createHash } from 'node:crypto';
import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import type { Claims } from './provider.ts';

/** Most characters of a name: enough for an e-mail address, and short enough for a table. */
const LONGEST = 60;

/** Invisible characters, characters that change the direction of text, and brackets, which we add ourselves. */
const NOT_OURS = /[\p{C}\p{Zl}\p{Zp}()]/gu;

/** A person's name at the identity provider: the first claim with any text. */
function calledBy(claims: Claims): string {
  const names = [claims.preferred_username, claims.email, claims.sub].map((name) => {
    if (typeof name !== 'string') return '';
    return [...name.replace(NOT_OURS, '').replace(/\s+/g, ' ').trim()].slice(0, LONGEST).join('').trim();
  });
  return names.find((name) => name !== '') ?? 'somebody';
}

/**
 * The names by which others see people of identity providers, see name-for.lua. `iss` and `sub` together identify a person (OpenID Connect
 * Core 1.0, section 5.7); the name at the provider may change, and may be the person's own choice.
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
