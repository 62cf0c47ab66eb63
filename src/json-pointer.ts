/** The sign that stands for each element of a list in a pointer. RFC 6901 has no such sign, so a field of this name cannot be pointed at. */
const EACH = '*';

/** The segments of a JSON pointer (RFC 6901) to a part of a document; undefined if it is none. The segment `*` means each element of a list. */
export function pointerSegments(pointer: string): string[] | undefined {
  if (!/^\/(?:[^~]|~[01])*$/.test(pointer)) return undefined;
  return pointer
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The JSON pointer (RFC 6901) that consists of these segments. */
export function pointerOf(segments: readonly string[]): string {
  return segments.map((segment) => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The segments up to and including the last `*`; an empty list if there is no `*`. */
export function listsOf(segments: readonly string[]): readonly string[] {
  return segments.slice(0, segments.lastIndexOf(EACH) + 1);
}

/** Replaces each `*` of the segments, from the first on, by the next given place in a list; further `*` stay. */
export function inPlace(segments: readonly string[], places: readonly string[]): string[] {
  let next = 0;
  return segments.map((segment) => (segment === EACH ? (places[next++] ?? EACH) : segment));
}

/** The value at these segments; undefined for none. Only fields of the document itself are read, whatever their names. */
export function valueAt(document: unknown, segments: readonly string[]): unknown {
  let value = document;
  for (const segment of segments) {
    const isPlace = !Array.isArray(value) || /^(?:0|[1-9]\d*)$/.test(segment);
    if (typeof value !== 'object' || value === null || !isPlace || !Object.hasOwn(value, segment)) return undefined;
    value = (value as Record<string, unknown>)[segment];
  }
  return value;
}

/**
 * Every combination of places in the document's lists to which the `*` of these segments can point. `given` are the places for the first
 * `*`. Where a list is missing, `noList` is the pointer to where it should be.
 */
export function* listPlaces(
  document: unknown,
  segments: readonly string[],
  given: readonly string[] = [],
): Generator<{ places: readonly string[]; noList?: string }> {
  const placed = inPlace(segments, given);
  const before = placed.slice(0, Math.max(0, placed.indexOf(EACH)));
  if (!placed.includes(EACH)) {
    yield { places: given };
    return;
  }
  const list = valueAt(document, before);
  if (!Array.isArray(list)) yield { places: given, noList: pointerOf(before) };
  else for (const place of list.keys()) yield* listPlaces(document, segments, [...given, String(place)]);
}

/** Whether a text is JSON, as a whole. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
