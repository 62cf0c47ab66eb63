import { posix } from 'node:path';
import type { Readable } from 'node:stream';
import type { Entry } from 'yauzl';
import { ownText } from '../../files/text.ts';
import { LIMITS, REMEDY, readXml } from './parse-xml.ts';

/** The parts of a workbook's archive, found by path. */
type PartEntries = {
  /** Undefined if there is none. Capitals do not count (ECMA-376, part 2, 6.2.2.3), nor does whether `%20` or a blank is written. */
  find(path: string): Entry | undefined;
};

export function makePartEntries(entries: readonly Entry[]): PartEntries {
  const parts = new Map(entries.map((entry) => [entry.fileName.toLowerCase(), entry]));
  return { find: (path) => parts.get(path.toLowerCase()) ?? parts.get(decoded(path).toLowerCase()) };
}

/** What a part refers to: the last word of the relation's type, such as `worksheet`, and the path of the part that is meant. */
export type Relation = { kind: string; path: string };

/** The path of the part that has the relations of this one (ECMA-376, part 2, 6.5.2.3). */
export function relationsOf(path: string): string {
  return posix.join(posix.dirname(path), '_rels', `${posix.basename(path)}.rels`);
}

/** Reads the relations of the part `of`, by their ids. @throws Error with a readable message if there are too many */
export async function readRelations(
  stream: Readable,
  { of, most, signal }: { of: string; most: number; signal: AbortSignal | undefined },
): Promise<Map<string, Relation>> {
  const relations = new Map<string, Relation>();
  const handler = {
    open(name: string, { Id = '', Target = '', Type = '' }: Record<string, string>) {
      if (name !== 'Relationship') return;
      const path = posix.resolve('/', posix.dirname(of), named(Target)).slice(1);
      relations.set(named(Id), { kind: ownText(Type.slice(Type.lastIndexOf('/') + 1)), path });
      atMost(relations.size, most, 'parts');
    },
  };
  await readXml(stream, handler, signal);
  return relations;
}

/** @throws Error with a readable message if there are more than `limit` */
export function atMost(count: number, limit: number, what: string): void {
  if (count > limit) throw new Error(`it has more than ${limit} ${what}; ${REMEDY}`);
}

/** A name, without the larger text that it was cut from. @throws Error with a readable message for a name longer than any */
export function named(name: string): string {
  if (name.length > LIMITS.nameLength) throw new Error(`it has a name of ${name.length} characters; ${REMEDY}`);
  return ownText(name);
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
