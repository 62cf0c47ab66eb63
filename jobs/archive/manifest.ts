import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { LimitlineError } from '../../src/errors.ts';
import { fileFault, systemCode } from '../../src/files/disk.ts';
import { openRegular } from '../../src/files/regular-file.ts';

export const MANIFEST = 'manifest.json';

/** The version of the files' form, in each manifest. It must be raised when files change so that an older Limitline cannot restore them. */
const FORMAT = 1;

/** The sentence in a manifest for a person who finds the folder years later. No program reads it. */
const ABOUT =
  'A portfolio that Limitline took out of Redis. results.csv.gz is for people: unpacked by gunzip, a spreadsheet opens it (UTF-8). ' +
  'rows.ndjson.gz and rest.ndjson.gz are for limitline restore. Times in ms count from 1970-01-01 UTC. Digests are SHA-256, of each ' +
  'file and (plain) of its content. It holds what is known of people: limitline forget removes it.';

/** The permissions of a manifest: only the owner may read it, as all files of an archive. */
const FILE_MODE = 0o600;

const digestSchema = z.string().regex(/^[0-9a-f]{64}$/);
const countSchema = z.int().nonnegative();

/** A file's size in bytes and SHA-256 in hexadecimal, of the file and of its uncompressed content. */
const factsSchema = z.object({
  name: z.string(),
  bytes: countSchema,
  sha256: digestSchema,
  plainBytes: countSchema,
  plainSha256: digestSchema,
  /** Line feeds in the content; in NDJSON, the number of lines. */
  lines: countSchema,
});
export type FileFacts = z.output<typeof factsSchema>;

export const manifestSchema = z.object({
  format: z.literal(FORMAT),
  account: z.string(),
  portfolio: z.string(),
  id: z.string(),
  by: z.string(),
  /** When the files were written, and when the portfolio began and finished: ms since 1970. */
  archivedMs: z.int(),
  startedMs: z.int(),
  finishedMs: z.int(),
  rows: countSchema,
  states: z.record(z.string(), countSchema),
  requested: z.string(),
  granted: z.string(),
  files: z.array(factsSchema),
});

/** The content of an archive's `manifest.json`. */
export type ArchiveManifest = z.output<typeof manifestSchema>;

export type ManifestFacts = Omit<ArchiveManifest, 'format'>;

/**
 * Writes the manifest to the disk. Returns its size in bytes and its SHA-256 in hexadecimal.
 *
 * @throws LimitlineError `FILE`
 */
export async function writeManifest(dir: string, facts: ManifestFacts): Promise<{ bytes: number; sha256: string }> {
  const path = join(dir, MANIFEST);
  const text = Buffer.from(`${JSON.stringify({ format: FORMAT, about: ABOUT, ...facts }, null, 2)}\n`);
  try {
    const file = await open(path, 'wx', FILE_MODE);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    throw fileFault(path, 'written', error);
  }
  return { bytes: text.length, sha256: digestOf(text) };
}

/**
 * Reads the manifest of an archive.
 *
 * @param expected the account, and the portfolio, id and digest if Redis knows them
 * @throws LimitlineError `FILE` where it is missing, damaged, of a later version, or of another archive
 */
export async function readManifest(
  dir: string,
  expected: { account: string; name?: string; id?: string; sha256?: string | undefined },
): Promise<ArchiveManifest> {
  const path = join(dir, MANIFEST);
  const text = await contentOf(path).catch((error) => {
    throw systemCode(error) === 'ENOENT'
      ? fault(path, 'there is no such file, so the archive is not in this folder: put the folder back there')
      : fileFault(path, 'read', error);
  });
  const found = parsed(text);
  if (found === undefined) throw fault(path, 'it is damaged; put the folder back from a copy');
  if (typeof found === 'string') throw fault(path, found);
  if (expected.sha256 !== undefined && digestOf(text) !== expected.sha256) {
    throw fault(path, 'it is no longer what Limitline wrote; put the folder back from a copy');
  }
  if (found.account !== expected.account) throw fault(path, `it belongs to account ${found.account}`);
  if (expected.name !== undefined && found.portfolio !== expected.name) {
    throw fault(path, `it belongs to portfolio ${found.portfolio}`);
  }
  if (expected.id !== undefined && found.id !== expected.id) throw fault(path, 'it belongs to another archive');
  return found;
}

async function contentOf(path: string): Promise<Buffer> {
  const file = await openRegular(path);
  return file.readFile().finally(() => file.close());
}

/** The manifest; a string says why it cannot be used; nothing if it is damaged. */
function parsed(text: Buffer): ArchiveManifest | string | undefined {
  try {
    const value: unknown = JSON.parse(text.toString());
    const { format } = z.object({ format: z.int() }).parse(value);
    if (format > FORMAT) return 'it was written by a later version of Limitline; use that one';
    return manifestSchema.parse(value);
  } catch {
    return undefined;
  }
}

function fault(path: string, why: string): LimitlineError {
  return new LimitlineError('FILE', `${path} cannot be used: ${why}.`);
}

const digestOf = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
