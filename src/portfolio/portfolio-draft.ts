import { z } from 'zod';
import { readOptionsSchema } from './read-options.ts';

/** A corrected cell; `column` is null where the whole line was rewritten. Both texts are cut for display. */
const mendedCellSchema = z.object({
  line: z.int(),
  column: z.string().nullable(),
  before: z.string(),
  after: z.string(),
});

const versionSchema = z.object({
  /** Version 1 is the file as it was uploaded. */
  number: z.int().min(1),
  sha256: z.string(),
  sizeBytes: z.int(),
  madeMs: z.int(),
  /** How many cells differ from the version before; `cells` holds the first of them. */
  mended: z.int(),
  cells: z.array(mendedCellSchema),
  /** The lines that a person left out of this version or of one before it. */
  leftOut: z.array(z.int()).default([]),
  /**
   * The sum of the amounts of the lines in `leftOut`, as they were read when each was left out; `bare` counts those without a readable
   * amount.
   */
  outSum: z.object({ amount: z.string(), bare: z.int() }).optional(),
  /** The requests of the lines in `leftOut`; unknown if there are many, or if an earlier version of Limitline left one out. */
  out: z.array(z.object({ key: z.string(), amount: z.string().optional() })).optional(),
  /** The version whose content this one has, where somebody went back to it. */
  backTo: z.int().optional(),
});

/** An import of the draft. If `ended` and `fault` are both null and no import runs, it was interrupted. */
const submittedSchema = z.object({
  /** The account of the import. A console of another account may share the folder; there, nothing was imported. */
  account: z.string().optional(),
  portfolio: z.string(),
  version: z.int(),
  replace: z.boolean(),
  /** The control total, as it was typed. */
  total: z.string().optional(),
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
  /** Why the import failed, if that is known. */
  fault: z.string().nullable(),
});

/** An earlier file by its name: the time when its way of reading was kept (`keptMs`), and the people who chose it (`by`). */
const keptFromSchema = z.object({ name: z.string(), keptMs: z.int(), by: z.array(z.string()).default([]) });

/** An uploaded portfolio before its import: none of it is in the ledger. */
export const portfolioDraftSchema = z.object({
  id: z.string(),
  /** The original name of the file, for display only. It is never used as a path. */
  name: z.string(),
  uploadedMs: z.int(),
  versions: z.array(versionSchema).min(1),
  /**
   * The documents beside the file. `isKept`: the document came with an earlier upload of the portfolio, and was copied because this errors
   * file names it.
   */
  documents: z.array(z.object({ name: z.string(), sizeBytes: z.int(), isKept: z.literal(true).optional() })),
  /**
   * The file of its supplier, if there is one. `of`: the company's name, or the id under which the service knows it; `unsent`: columns that
   * no call sends.
   */
  supplier: z
    .object({
      name: z.string(),
      sha256: z.string(),
      sizeBytes: z.int(),
      of: z.string(),
      unsent: z.array(z.string()).default([]),
    })
    .nullable()
    .default(null),
  /** Whether the only document is a ZIP file that contains the documents. */
  isArchive: z.boolean(),
  reading: readOptionsSchema,
  /** The name of the portfolio into which the draft would be imported. */
  portfolio: z.string(),
  /** Digest of the header, as found or as an earlier file's reading names it; it identifies files of the same form. null without a header. */
  form: z.string().nullable(),
  /** The earlier file of the same form from which the reading options were copied, if they were. */
  keptFrom: keptFromSchema.nullable(),
  /** Another person's reading options for a file of this form. They apply only after somebody accepts them. */
  offered: keptFromSchema.extend({ reading: readOptionsSchema }).nullable().default(null),
  /** Who chose the reading options that are kept for other files. */
  readBy: z.array(z.string()).default([]),
  submitted: submittedSchema.nullable(),
  /** Everybody who uploaded the file, corrected it, or chose how it is read. None of them may approve the portfolio. */
  authors: z.array(z.string()).default([]),
});

export type PortfolioDraft = z.output<typeof portfolioDraftSchema>;
export type DraftVersion = z.output<typeof versionSchema>;
export type MendedCell = z.output<typeof mendedCellSchema>;
export type SubmittedDraft = z.output<typeof submittedSchema>;

/** The version that a preview shows and an import takes. */
export function lastVersion({ versions }: Pick<PortfolioDraft, 'versions'>): DraftVersion {
  const last = versions.at(-1);
  if (!last) throw new Error('The draft has no version of its file, though the upload is always its first.');
  return last;
}

/** How many cells of the last version somebody changed since the upload. */
export function changedCells(versions: readonly DraftVersion[]): number {
  const counts = new Map<number, number>();
  for (const { number, mended, backTo } of versions) {
    counts.set(number, backTo === undefined ? (counts.get(number - 1) ?? 0) + mended : (counts.get(backTo) ?? 0));
  }
  return counts.get(versions.at(-1)?.number ?? 1) ?? 0;
}

/** The versions to which one can go back: the uploaded file, and the last two with another content than the last and each other. */
export function keptVersions(versions: readonly DraftVersion[]): DraftVersion[] {
  const [first, last] = [versions[0], versions.at(-1)];
  const others = new Map(versions.map((version) => [version.sha256, version]));
  for (const one of [first, last]) others.delete(one?.sha256 ?? '');
  const later = [...others.values()].sort((a, b) => a.number - b.number).slice(-2);
  return first && first.sha256 !== last?.sha256 ? [first, ...later] : later;
}

/** The versions whose files are kept: the uploaded file, the last two, and those to which one can go back. */
export function filedVersions(versions: readonly DraftVersion[]): DraftVersion[] {
  return [...new Set([...versions.slice(0, 1), ...keptVersions(versions), ...versions.slice(-2)])];
}

/** A draft's authors, with one more if `by` is new. */
export function authorsWith({ authors }: Pick<PortfolioDraft, 'authors'>, by: string | undefined): string[] {
  return by === undefined || authors.includes(by) ? authors : [...authors, by];
}
