import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { makeFolder } from '../../src/data-folder.ts';
import { LimitlineError } from '../../src/errors.ts';
import { fileFault, putText, systemCode } from '../../src/files/disk.ts';
import { isPortfolioName } from '../../src/ledger/schema/schema.ts';
import { lastingOf, type ReadOptions, readOptionsSchema } from '../../src/portfolio/read-options.ts';
import type { FileForms } from './file-forms.ts';

const keptSchema = z.object({
  /** The file for which the options were set. */
  name: z.string(),
  keptMs: z.int(),
  /** Who set the options: none of them may approve files read with them. Empty in mappings of earlier versions. */
  by: z.array(z.string()).default([]),
  reading: readOptionsSchema.transform(lastingOf),
});

type KeptMapping = z.output<typeof keptSchema>;

/** Read options that people corrected, stored by the form of their file (its header), and offered for the next file of the form. */
export type KeptMappings = ReturnType<typeof makeKeptMappings>;

/** Shown in place of a forgotten name. */
export const FORGOTTEN_FILE = 'a file that was forgotten';

const FORM = /^[0-9a-f]{32}$/;

/** @param dir the folder of all mappings; made with the first */
export function makeKeptMappings({ dir }: { dir: string }) {
  const pathOf = (form: string) => join(dir, `${form}.json`);
  const forget = (form: string) => rm(pathOf(form), { force: true });

  async function find(form: string): Promise<KeptMapping | undefined> {
    const text = FORM.test(form) ? await readFile(pathOf(form), 'utf8').catch(() => undefined) : undefined;
    if (text === undefined) return undefined;
    try {
      return keptSchema.parse(JSON.parse(text));
    } catch {
      // A mapping of another version, or a damaged one, is ignored.
      return undefined;
    }
  }

  async function keep(form: string, mapping: KeptMapping): Promise<void> {
    const reading = lastingOf(mapping.reading);
    if (!isCorrected(reading)) return forget(form);
    makeFolder(dir, 0o700);
    await putText(dir, `${form}.json`, `${JSON.stringify({ ...mapping, reading }, null, 2)}\n`);
  }

  return {
    find,
    /** The mapping of a file, and the form under which it is kept: by the header that was found, else by the line that the mapping names. */
    async findFor({ found, byLine }: FileForms): Promise<{ form: string; kept: KeptMapping } | undefined> {
      for (const [line, form] of [[null, found ?? ''] as const, ...byLine]) {
        const kept = await find(form);
        if (kept && (line === null || line === kept.reading.headerLine)) return { form, kept };
      }
      return undefined;
    },
    /** Keeps those read options that apply to other files of the form, too. If none is corrected, the form's mapping is removed. */
    keep,
    forget,
    /** Removes these files' names; the options stay. */
    async forgetFiles(names: ReadonlySet<string>): Promise<void> {
      const files = await readdir(dir).catch(() => []);
      for (const form of files.map((file) => file.slice(0, -'.json'.length)).filter((name) => FORM.test(name))) {
        const mapping = await find(form);
        if (mapping && names.has(mapping.name)) await keep(form, { ...mapping, name: FORGOTTEN_FILE });
      }
    },
  };
}

/** Whether this actor alone set all options. Actors are compared as whole texts, since two kinds of them may have one short name. */
export function isOwnReading({ by: authors }: Pick<KeptMapping, 'by'>, by: string | undefined): boolean {
  return authors.length > 0 && authors.every((author) => author === by);
}

export function isCorrected(reading: ReadOptions): boolean {
  return Object.values(reading).some((value) => value !== undefined);
}

/** Read options that people saved under a name, with those who saved or chose them, and the name of the file from which they were made. */
const { name: ofName, ...others } = keptSchema.shape;
const namedSchema = z.object({ name: ofName, file: z.string(), ...others });

type NamedMapping = z.output<typeof namedSchema>;

/**
 * Checks the name of a mapping, which follows the rule for portfolios' names, because it is also a file's name.
 *
 * @throws LimitlineError `USAGE` for an invalid name
 */
export function checkMappingName(name: string): void {
  if (isPortfolioName(name)) return;
  const message = `"${name}" cannot be the name of a mapping: use up to 64 letters, digits, spaces, dots, hyphens and underscores, beginning with a letter or digit.`;
  throw new LimitlineError('USAGE', message);
}

/** Named mappings in the data folder. */
export function makeNamedMappings({ dataDir }: { dataDir: string }) {
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
    /** @throws LimitlineError `NOT_FOUND`, with the existing names; `FILE` where it is unreadable or has no known author */
    async need(name: string): Promise<NamedMapping> {
      const path = join(dir, fileOf(name));
      const text = isPortfolioName(name) ? await readFile(path, 'utf8').catch(orGone(path)) : undefined;
      if (text === undefined) throw await unknown(name);
      const found = parsed(text);
      if (found && found.by.length > 0) return found;
      const fault = found ? 'was kept by an earlier version, which did not note by whom' : 'is damaged';
      const message = `The mapping "${name}" in ${path} ${fault}: keep it again with npx limitline mapping keep "${name}" FILE.`;
      throw new LimitlineError('FILE', message);
    },
    /** Keeps those read options that apply to other files, too. Replaces a mapping of the same name. */
    async keep(mapping: NamedMapping): Promise<void> {
      checkMappingName(mapping.name);
      makeFolder(dir, 0o700);
      const text = JSON.stringify({ ...mapping, reading: lastingOf(mapping.reading) }, null, 2);
      await putText(dir, fileOf(mapping.name), `${text}\n`);
    },
    /** @throws LimitlineError `NOT_FOUND` */
    async forget(name: string): Promise<void> {
      const path = join(dir, fileOf(name));
      const isThere = isPortfolioName(name) && (await rm(path).then(() => true, orGone(path)));
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
