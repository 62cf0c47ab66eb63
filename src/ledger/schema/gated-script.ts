import { type LuaScript, makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import { type ArchiveStateName, archivedFault } from './archives.ts';

/**
 * Registers a script of the ledger that changes a portfolio or its rows, by its name among the ledger's Lua files. Of a portfolio that is
 * archived, or on its way, such a script changes nothing (archived.lua).
 *
 * @throws LimitlineError `USAGE` from what it answers, where the portfolio is archived: see {@link archivedFault}
 */
export function makeGatedScript(connection: RedisConnection, name: string): LuaScript {
  const run = makeLuaScript(connection, new URL(`../lua/${name}.lua`, import.meta.url));
  return async (keys, args) => {
    try {
      return await run(keys, args);
    } catch (error) {
      throw faultIn(error) ?? error;
    }
  };
}

/** What archivedError of archived.lua says: `ARCHIVED <where it is> <name>`. */
const ARCHIVED = /^ARCHIVED (\w+) (.+)$/su;

export function faultIn(error: unknown): Error | undefined {
  const [, is, name] = (error instanceof Error && ARCHIVED.exec(error.message)) || [];
  return is === undefined || name === undefined ? undefined : archivedFault({ is: is as ArchiveStateName, name });
}
