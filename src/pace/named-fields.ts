/** A script's arguments as name, value, name, value … for lua/arguments.lua. */
export function namedArgs(args: Readonly<Record<string, string | number>>): (string | number)[] {
  const list: (string | number)[] = [];
  for (const [name, value] of Object.entries(args)) list.push(name, value);
  return list;
}

/**
 * Reads a script's answer: name, value, name, value … The caller picks the type of each field.
 *
 * @throws TypeError if the answer is no such list, or lacks a requested field
 */
export function readNamedFields(reply: unknown) {
  if (!Array.isArray(reply)) throw new TypeError('A script in Redis did not answer with a list of fields.');
  const fields = new Map<unknown, unknown>();
  for (let at = 0; at < reply.length; at += 2) fields.set(reply[at], reply[at + 1]);
  const field = (name: string): unknown => {
    if (!fields.has(name)) throw new TypeError(`The answer of a script in Redis lacks the field ${name}.`);
    return fields.get(name);
  };
  return {
    /** Whether the answer has no fields. */
    isEmpty: fields.size === 0,
    has: (name: string): boolean => fields.has(name),
    text: (name: string): string => String(field(name)),
    /** A field as a number. Scripts answer fractions as text, since Redis truncates their numbers to integers. */
    number: (name: string): number => Number(field(name)),
    /** Whether a field is 1. */
    flag: (name: string): boolean => Number(field(name)) === 1,
  };
}
