import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { makeFolder } from '../../src/data-folder.ts';
import { putText } from '../../src/files/draft.ts';
import { lastingOf, type ReadOptions, readOptionsSchema } from '../../src/portfolio/read-options.ts';

const keptSchema = z.object({
  /** The file for which the options were set. */
  name: z.string(),
  keptMs: z.int(),
  /** Who set the options: none of them may approve files read with them. Empty in mappings of earlier versions. */
  by: z.array(z.string()).default([]),
  reading: readOptionsSchema.transform(lastingOf),
});

type KeptMapping = z.output<typeof keptSchema>;

/** Corrected read options by form of file, for the next file of the form. */
export type KeptMappings = {
  find(form: string): Promise<KeptMapping | undefined>;
  /** Keeps options that apply to other files, too. Without any correction, the mapping is removed. */
  keep(form: string, mapping: KeptMapping): Promise<void>;
  forget(form: string): Promise<void>;
  /** Removes these files' names; the options stay. */
  forgetFiles(names: ReadonlySet<string>): Promise<void>;
};

/** Shown in place of a forgotten name. */
export const FORGOTTEN_FILE = 'a file that was forgotten';

/** The form of a file: a digest of its header's names, in order. */
export function formOf(header: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(header)).digest('hex').slice(0, 32);
}

const FORM = /^[0-9a-f]{32}$/;

/** @param dir the folder of all mappings; made with the first */
export function makeKeptMappings({ dir }: { dir: string }): KeptMappings {
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
    keep,
    forget,
    async forgetFiles(names) {
      const files = await readdir(dir).catch(() => []);
      for (const form of files.map((file) => file.slice(0, -'.json'.length)).filter((name) => FORM.test(name))) {
        const mapping = await find(form);
        if (mapping && names.has(mapping.name)) await keep(form, { ...mapping, name: FORGOTTEN_FILE });
      }
    },
  };
}

/** Whether this person alone, under this exact name, set all options. A namesake does not count. */
export function isOwnReading({ by: authors }: Pick<KeptMapping, 'by'>, by: string | undefined): boolean {
  return authors.length > 0 && authors.every((author) => author === by);
}

/** Whether any option is set. */
export function isCorrected(reading: ReadOptions): boolean {
  return Object.values(reading).some((value) => value !== undefined);
}
