import { z } from 'zod';
import { readOptionsSchema } from './read-options.ts';

/** A cell that was mended; `column` is null where the whole line was written anew. Texts are cut to what one is shown. */
const mendedCellSchema = z.object({
  line: z.int(),
  column: z.string().nullable(),
  before: z.string(),
  after: z.string(),
});

const versionSchema = z.object({
  /** From 1, which is the file as it was uploaded. */
  number: z.int().min(1),
  sha256: z.string(),
  sizeBytes: z.int(),
  madeMs: z.int(),
  /** How many cells differ from the version before, and the first of them. */
  mended: z.int(),
  cells: z.array(mendedCellSchema),
});

/** What became of an import that was begun. One that ended neither way was interrupted. */
const submittedSchema = z.object({
  /** Into which account: a console of another one shares the folder, and there nothing was imported. */
  account: z.string().optional(),
  portfolio: z.string(),
  version: z.int(),
  replace: z.boolean(),
  beganMs: z.int(),
  ended: z
    .object({
      atMs: z.int(),
      lines: z.int(),
      rows: z.int(),
      invalid: z.int(),
      duplicate: z.int(),
      faults: z.array(z.string()),
    })
    .nullable(),
  /** Why it broke off, where that is known. */
  fault: z.string().nullable(),
});

/** An earlier file, when it was submitted, and who said how it is read. */
const keptFromSchema = z.object({ name: z.string(), keptMs: z.int(), by: z.array(z.string()).default([]) });

/** A portfolio that was uploaded and is looked at: nothing of it is in the ledger. */
export const portfolioDraftSchema = z.object({
  id: z.string(),
  /** What the file was called. It is shown, and names nothing on our disk. */
  name: z.string(),
  uploadedMs: z.int(),
  versions: z.array(versionSchema).min(1),
  documents: z.array(z.object({ name: z.string(), sizeBytes: z.int() })),
  /** Whether the one document is a ZIP file of them. */
  isArchive: z.boolean(),
  reading: readOptionsSchema,
  /** The name of the portfolio that it is looked at for. */
  portfolio: z.string(),
  /** Digest of the header as it was found at first, by which a file of this form is known again; null without a header. */
  form: z.string().nullable(),
  /** Where the corrections were taken from, when they were kept from an earlier file of this form. */
  keptFrom: keptFromSchema.nullable(),
  /** How another person read an earlier file of this form: shown, and done only when somebody says so. */
  offered: keptFromSchema.extend({ reading: readOptionsSchema }).nullable().default(null),
  /** Who said how it is read, as far as that is kept for other files. */
  readBy: z.array(z.string()).default([]),
  submitted: submittedSchema.nullable(),
  /** Who uploaded it, mended it, or said how it is read: none of them may approve what comes of it. */
  authors: z.array(z.string()).default([]),
});

export type PortfolioDraft = z.output<typeof portfolioDraftSchema>;
export type DraftVersion = z.output<typeof versionSchema>;
export type MendedCell = z.output<typeof mendedCellSchema>;
export type SubmittedDraft = z.output<typeof submittedSchema>;

/** The version that is looked at and would be imported. */
export function lastVersion({ versions }: Pick<PortfolioDraft, 'versions'>): DraftVersion {
  const last = versions.at(-1);
  if (!last) throw new Error('A draft has the file as it was uploaded, at least.');
  return last;
}

/** A draft's authors, and another. */
export function authorsWith({ authors }: Pick<PortfolioDraft, 'authors'>, by: string | undefined): string[] {
  return by === undefined || authors.includes(by) ? authors : [...authors, by];
}
