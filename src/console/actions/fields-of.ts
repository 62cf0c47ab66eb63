/** The fields of a form, less its token; of several with one name the last. Empty where the body is not an ordinary form. */
export function fieldsOf(body: unknown): Readonly<Record<string, string>> {
  const fields: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries((body ?? {}) as Record<string, unknown>)) {
    const text = Array.isArray(value) ? value.at(-1) : value;
    if (typeof text === 'string' && name !== '_csrf') fields[name] = text;
  }
  return fields;
}
