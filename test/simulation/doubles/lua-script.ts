import * as product from '../../../src/lua-script.ts';

export * from '../../../src/lua-script.ts';

type Run = (...args: unknown[]) => Promise<unknown>;

/** Whose command the next call of a script is. */
let caller: product.RedisConnection;

const scripts = new Map<string, { script: product.LuaScript; name: string; lua: string }>();

/**
 * In place of {@link product.makeLuaScript}: scripts are read once for all connections of all runs, whose processes are many and new each
 * time. What a script does with keys and arguments is the product's own.
 */
export function makeLuaScript(connection: product.RedisConnection, url: URL): product.LuaScript {
  const { script, name, lua } = scripts.get(url.href) ?? read(url);
  connection.defineCommand(name, { lua });
  return (keys, args) => {
    caller = connection;
    return script(keys, args);
  };
}

/** The product registers it with a connection that hands each command on. */
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
