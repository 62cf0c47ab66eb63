/** A script's arguments, name after name: lua/arguments.lua reads them. */
export function namedArgs(args: Readonly<Record<string, string | number>>): (string | number)[] {
  const list: (string | number)[] = [];
  for (const [name, value] of Object.entries(args)) list.push(name, value);
  return list;
}

/**
 * Reads what a script answered: name, value, name, value … Whoever asks for a field says what it is.
 *
 * @throws TypeError where the answer is no such list, or lacks a field that is asked for
 */
export function readNamedFields(reply: unknown) {
  if (!Array.isArray(reply)) throw new TypeError('A script answered no list of fields.');
  const fields = new Map<unknown, unknown>();
  for (let at = 0; at < reply.length; at += 2) fields.set(reply[at], reply[at + 1]);
  const field = (name: string): unknown => {
    if (!fields.has(name)) throw new TypeError(`A script did not answer ${name}.`);
    return fields.get(name);
  };
  return {
    /** Whether there is nothing at all. */
    isEmpty: fields.size === 0,
    has: (name: string): boolean => fields.has(name),
    text: (name: string): string => String(field(name)),
    /** Redis cuts a script's numbers to whole ones; others come as text. */
    number: (name: string): number => Number(field(name)),
    /** 1 or 0. */
    flag: (name: string): boolean => Number(field(name)) === 1,
  };
}
