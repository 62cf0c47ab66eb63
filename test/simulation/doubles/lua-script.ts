import * as product from '../../../src/lua-script.ts';

export * from '../../../src/lua-script.ts';

type Run = (...args: unknown[]) => Promise<unknown>;

/** The connection whose command calls a script next. */
let caller: product.RedisConnection;

const scripts = new Map<string, { script: product.LuaScript; name: string; lua: string }>();

/**
 * Replaces {@link product.makeLuaScript}: scripts are read once for all connections of all runs, because each run has
 * many new processes. The handling of keys and arguments is the product's own.
 */
export function makeLuaScript(connection: product.RedisConnection, url: URL): product.LuaScript {
  const { script, name, lua } = scripts.get(url.href) ?? read(url);
  connection.defineCommand(name, { lua });
  return (keys, args) => {
    caller = connection;
    return script(keys, args);
  };
}

/** The product registers the script with a connection that passes each command on. */
function read(url: URL) {
  let [name, lua] = ['', ''];
  const stand = {
    defineCommand(command: string, given: { lua: string }): void {
      [name, lua] = [command, given.lua];
      Reflect.set(stand, command, (...args: unknown[]) => (Reflect.get(caller, command) as Run).apply(caller, args));
    },
  } as unknown as product.RedisConnection;
  const script = product.makeLuaScript(stand, url);
  const known = { script, name, lua };
  scripts.set(url.href, known);
  return known;
}
