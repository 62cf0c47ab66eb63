import { type LuaScript, makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import { type ArchiveStateName, archivedFault } from './archives.ts';

/**
 * Registers the ledger script `name` (lua/<name>.lua), which changes a portfolio or its rows. If the portfolio is archived or on the way
 * there, the script changes nothing (archived.lua).
 *
 * @throws LimitlineError `USAGE` on running it, if the portfolio is archived: see {@link archivedFault}
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

/** The error that archivedError of archived.lua answers: `ARCHIVED <archive state> <name>`. */
const ARCHIVED = /^ARCHIVED (\w+) (.+)$/su;

export function faultIn(error: unknown): Error | undefined {
  const [, is, name] = (error instanceof Error && ARCHIVED.exec(error.message)) || [];
  return is === undefined || name === undefined ? undefined : archivedFault({ is: is as ArchiveStateName, name });
}
