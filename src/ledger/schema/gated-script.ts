import { type LuaScript, makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import { type ArchiveStateName, archivedFault } from './archives.ts';

/** Registers a script of `src/ledger/lua`: by its file, or as `file#script` where the file has several. */
export function ledgerScript(connection: RedisConnection, name: string): LuaScript {
  return makeLuaScript(connection, new URL(`../lua/${name.replace(/#|$/, '.lua$&')}`, import.meta.url));
}

/**
 * Registers a script as {@link ledgerScript} does, which changes a portfolio or its rows. If the portfolio is archived or on the way
 * there, the script changes nothing (archived.lua).
 *
 * @throws LimitlineError `USAGE` on running it, if the portfolio is archived: see {@link archivedFault}
 */
export function makeGatedScript(connection: RedisConnection, name: string): LuaScript {
  const run = ledgerScript(connection, name);
  return async (keys, args) => {
    try {
      return await run(keys, args);
    } catch (error) {
      throw faultIn(error) ?? error;
    }
  };
}

/** The error that archivedError of archived.lua answers: `ARCHIVED <archive state> <name>`. */
const ARCHIVED = /^ARCHIVED (\w+) (.+)$/su;

export function faultIn(error: unknown): Error | undefined {
  const [, is, name] = (error instanceof Error && ARCHIVED.exec(error.message)) || [];
  return is === undefined || name === undefined ? undefined : archivedFault({ is: is as ArchiveStateName, name });
}
