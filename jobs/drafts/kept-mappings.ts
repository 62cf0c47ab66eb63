import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { makeFolder } from '../../src/data-folder.ts';
import { putText } from '../../src/files/draft.ts';
import { lastingOf, type ReadOptions, readOptionsSchema } from '../../src/portfolio/read-options.ts';

const keptSchema = z.object({
  /** The file whose reading was corrected so. */
  name: z.string(),
  keptMs: z.int(),
  /** Who said so: none of them may approve what is read by it. Empty as earlier versions kept it: nobody knows. */
  by: z.array(z.string()).default([]),
  reading: readOptionsSchema.transform(lastingOf),
});

export type KeptMapping = z.output<typeof keptSchema>;

/** How files of a form were read, as a person corrected it, for the next file of that form. */
export type KeptMappings = {
  find(form: string): Promise<KeptMapping | undefined>;
  /** Keeps it, as far as it is of other files too; a reading without any correction is forgotten. */
  keep(form: string, mapping: KeptMapping): Promise<void>;
  forget(form: string): Promise<void>;
  /** Files of these names are named no more: how they were read stays. */
  forgetFiles(names: ReadonlySet<string>): Promise<void>;
};

/** What is shown in the place of a name that was forgotten. */
export const FORGOTTEN_FILE = 'a file that was forgotten';

/** The form of a file: digest of the names in its header, in their order. */
export function formOf(header: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(header)).digest('hex').slice(0, 32);
}

const FORM = /^[0-9a-f]{32}$/;

/** @param dir the folder of all mappings; made when the first is kept. */
export function makeKeptMappings({ dir }: { dir: string }): KeptMappings {
  const pathOf = (form: string) => join(dir, `${form}.json`);
  const forget = (form: string) => rm(pathOf(form), { force: true });

  async function find(form: string): Promise<KeptMapping | undefined> {
    const text = FORM.test(form) ? await readFile(pathOf(form), 'utf8').catch(() => undefined) : undefined;
    if (text === undefined) return undefined;
    try {
      return keptSchema.parse(JSON.parse(text));
    } catch {
      // Written by another version, or damaged: the file is read as it stands.
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

/** Whether all of it was said by this person, by this very name: of a namesake's it is not known. */
export function isOwnReading({ by: authors }: Pick<KeptMapping, 'by'>, by: string | undefined): boolean {
  return authors.length > 0 && authors.every((author) => author === by);
}

/** Whether anything is said of how to read. */
export function isCorrected(reading: ReadOptions): boolean {
  return Object.values(reading).some((value) => value !== undefined);
}
