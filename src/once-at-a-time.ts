/** Makes a function that starts `work`, or returns the promise of the run that is under way. */
export function onceAtATime<T>(work: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  return () => {
    underWay ??= work().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}

/** Makes a function that answers what `make` makes of a key, which is made once and kept. */
export function onceEach<K extends string | number, V>(make: (key: K) => V): (key: K) => V {
  const made = new Map<K, V>();
  return (key) => {
    const known = made.get(key) ?? make(key);
    made.set(key, known);
    return known;
  };
}

/** Shares what `read` answers for a key among all who ask for it within `ms`. A failed read is shared only while it runs. */
export function sharedFor<T>(ms: number, read: (key: string) => Promise<T>): (key?: string) => Promise<T> {
  const known = new Map<string, { atMs: number; value: Promise<T> }>();
  return (key = '') => {
    const nowMs = performance.now();
    for (const [one, { atMs }] of known) if (nowMs - atMs >= ms) known.delete(one);
    const found = known.get(key);
    if (found) return found.value;
    const value = read(key);
    known.set(key, { atMs: nowMs, value });
    value.catch(() => known.delete(key));
    return value;
  };
}

/** Objects that can be loaded late: all their functions, and those of their parts, return promises. */
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
 * A proxy for the object that `load` makes. The first call of a function of it, or of one of its parts, loads it, so that a command only
 * loads what it uses. A failure of loading is thrown by that call and all later ones.
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
      // Without `then`, a promise that resolves with the proxy does not take it for a promise.
      get: (_, name) => (typeof name === 'symbol' || name === 'then' ? undefined : standIn([...path, name])),
      apply: (_, _self, args) => call(path, args),
    });
  return standIn([]) as T;
}
