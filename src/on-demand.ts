/** What can be loaded late: each of its functions, and of those of its parts, answers a promise. */
type Late<T> = {
  [Name in keyof T]: T[Name] extends (...args: never) => unknown
    ? ReturnType<T[Name]> extends Promise<unknown>
      ? T[Name]
      : never
    : T[Name] extends object
      ? Late<T[Name]>
      : never;
};

/**
 * Stands for what `load` makes, and calls that when it is first asked for something: so a command loads, of all that commands
 * share, what it uses itself. Whatever it is asked for is a function, its own or that of one of its parts, and answers once
 * what was loaded has; a fault in loading is that of the call, and of all later ones.
 */
export function onDemand<T extends object>(load: () => Promise<T & Late<T>>): T {
  let made: Promise<unknown> | undefined;
  const call = async (path: readonly string[], args: unknown[]): Promise<unknown> => {
    made ??= load();
    let owner: unknown;
    let asked = await made;
    for (const name of path) [owner, asked] = [asked, Reflect.get(asked as object, name)];
    return Reflect.apply(asked as (...args: unknown[]) => unknown, owner, args);
  };
  const standIn = (path: readonly string[]): object =>
    new Proxy(() => {}, {
      // A promise that resolves with it must not take it for another promise.
      get: (_, name) => (typeof name === 'symbol' || name === 'then' ? undefined : standIn([...path, name])),
      apply: (_, _self, args) => call(path, args),
    });
  return standIn([]) as T;
}
