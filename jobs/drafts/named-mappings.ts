import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { makeFolder } from '../../src/data-folder.ts';
import { LimitlineError } from '../../src/errors.ts';
import { putText } from '../../src/files/draft.ts';
import { fileFault, systemCode } from '../../src/files/file-fault.ts';
import { lastingOf, readOptionsSchema } from '../../src/portfolio/read-options.ts';

const namedSchema = z.object({
  name: z.string(),
  /** The file from which it was made. */
  file: z.string(),
  keptMs: z.int(),
  /** Who keeps it and who set the options: authors of files read with it. Empty in mappings of earlier versions. */
  by: z.array(z.string()).default([]),
  reading: readOptionsSchema.transform(lastingOf),
});

/** Read options under a name. */
type NamedMapping = z.output<typeof namedSchema>;

/** Named mappings in the data folder. */
type NamedMappings = {
  list(): Promise<NamedMapping[]>;
  /** @throws LimitlineError `NOT_FOUND`, with the existing names; `FILE` where it is unreadable or has no known author */
  need(name: string): Promise<NamedMapping>;
  /** Keeps options that apply to other files, too. Replaces a mapping of the same name. */
  keep(mapping: NamedMapping): Promise<void>;
  /** @throws LimitlineError `NOT_FOUND` */
  forget(name: string): Promise<void>;
};

/** The rule for portfolios' names: each name is also a file's name. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u;

/** @throws LimitlineError `USAGE` for an invalid name */
export function checkMappingName(name: string): void {
  if (NAME.test(name)) return;
  const message = `"${name}" cannot be the name of a mapping: use up to 64 letters, digits, spaces, dots, hyphens and underscores, beginning with a letter or digit.`;
  throw new LimitlineError('USAGE', message);
}

export function makeNamedMappings({ dataDir }: { dataDir: string }): NamedMappings {
  const dir = join(dataDir, 'mappings', 'named');
  const fileOf = (name: string) => `${name.normalize('NFC')}.json`;

  async function list(): Promise<NamedMapping[]> {
    const files = (await readdir(dir).catch(() => [])).filter(
      (name) => name.endsWith('.json') && !name.startsWith('.'),
    );
    const read = await Promise.all(files.map((name) => readFile(join(dir, name), 'utf8').catch(() => '')));
    return read.flatMap((text) => parsed(text) ?? []).sort((a, b) => a.name.localeCompare(b.name));
  }

  async function unknown(name: string): Promise<LimitlineError> {
    const names = (await list()).map((known) => known.name);
    const there = names.length > 0 ? `known are: ${names.join(', ')}` : 'none was kept yet';
    const message = `There is no mapping "${name}"; ${there}. Keep one with: npx limitline mapping keep "${name}" FILE`;
    return new LimitlineError('NOT_FOUND', message);
  }

  return {
    list,
    async need(name) {
      const path = join(dir, fileOf(name));
      const text = NAME.test(name) ? await readFile(path, 'utf8').catch(orGone(path)) : undefined;
      if (text === undefined) throw await unknown(name);
      const found = parsed(text);
      if (found && found.by.length > 0) return found;
      const fault = found ? 'was kept by an earlier version, which did not note by whom' : 'is damaged';
      const message = `The mapping "${name}" in ${path} ${fault}: keep it again with npx limitline mapping keep "${name}" FILE.`;
      throw new LimitlineError('FILE', message);
    },
    async keep(mapping) {
      checkMappingName(mapping.name);
      makeFolder(dir, 0o700);
      const text = JSON.stringify({ ...mapping, reading: lastingOf(mapping.reading) }, null, 2);
      await putText(dir, fileOf(mapping.name), `${text}\n`);
    },
    async forget(name) {
      const path = join(dir, fileOf(name));
      const isThere = NAME.test(name) && (await rm(path).then(() => true, orGone(path)));
      if (!isThere) throw await unknown(name);
    },
  };
}

function orGone(path: string) {
  return (error: unknown): undefined => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw fileFault(path, 'read', error);
  };
}

function parsed(text: string): NamedMapping | undefined {
  try {
    return namedSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
