import { createHash, randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import type { Settings } from '../../src/config.ts';
import { makeFolder } from '../../src/data-folder.ts';
import { putText } from '../../src/files/draft.ts';
import { isJson } from '../../src/json-pointer.ts';
import type { Plans } from '../../src/ledger/plans/plans.ts';
import { formOf } from '../../src/portfolio/read-options.ts';
import { ColumnsUnknown, columnsToName, type DecisionColumn } from '../../src/portfolio/results/decision-columns.ts';
import {
  type DecisionsFile,
  type DecisionsReading,
  type KeptColumns,
  readDecisionsFile,
} from '../../src/portfolio/results/decisions-file.ts';
import { columnWords, decisionsWords } from './decisions-words.ts';
import { readUploaded } from './held-plans.ts';
import { type DecisionDeps, type DecisionsTaken, takeDecisions } from './take-decisions.ts';

/** The columns that an upload's header does not name, the headers that may be one of them, and the mapping that people gave so far. */
export type ColumnsAsked = { names: DecisionColumn[]; headers: string[]; map: readonly string[] };

/** A file of decisions for the rows of one portfolio, and what became of the decisions, or would become of them. */
export type UploadedDecisions = {
  /** The id of the upload, by which its decisions are taken in. */
  id: string;
  portfolio: string;
  fileName: string;
  sha256: string;
  /** Sentences about the columns, and about all lines. */
  columns: string[];
  words: string[];
  /** The columns that a person may still name. */
  asked: ColumnsAsked | undefined;
} & Pick<DecisionsTaken, 'taken' | 'known' | 'rows' | 'left' | 'problems' | 'warnings' | 'would'>;

/** An upload that cannot be read until a person names its columns. */
export type UnreadUpload = { id: string; portfolio: string; fileName: string; message: string; asked: ColumnsAsked };

type Upload = { fileName: string; content: Buffer; reading: Pick<DecisionsReading, 'decimal' | 'dates' | 'map'> };

/**
 * A kept upload: its decisions, without its other cells. Decisions without a time count as made at `atMs`. As long as a person may still say
 * what the columns mean, `content` has the whole file, in base64.
 */
type Kept = Omit<Upload, 'content'> & {
  decisionsOf: string;
  /** The result, once the decisions were taken in. */
  done?: UploadedDecisions;
  sha256: string;
  atMs: number;
  file?: DecisionsFile;
  content?: string;
};

type DeskDeps = DecisionDeps & {
  account: string;
  plans: Pick<Plans, 'keepAnswer' | 'answer' | 'takeAnswer'>;
  settings: Pick<Settings, 'LIMITLINE_DATA'>;
};

/**
 * Takes in uploaded decisions in two steps: a person sees what would become of them, and then has just these taken in, once, within 15
 * minutes.
 */
export function makeDecisionsDesk(deps: DeskDeps) {
  const keptColumns = makeKeptColumns({ dataDir: deps.settings.LIMITLINE_DATA });

  async function take(
    id: string,
    { decisionsOf: only, fileName, sha256, atMs }: Kept,
    { file, ...how }: { file: DecisionsFile; by: string; dryRun: boolean },
  ): Promise<UploadedDecisions> {
    const taken = await takeDecisions({ ...file, name: fileName }, deps, { ...how, only, now: new Date(atMs) });
    const words = decisionsWords(taken, how.dryRun);
    // Columns may be named if unread headers may be lacking columns, or if somebody named some before: that mapping may be changed.
    const isOpen = file.mapped.map.length > 0 || (file.unread.length > 0 && file.lacks.length > 0);
    const asked = isOpen ? askedOf(file.header, file.mapped.map) : undefined;
    return { ...taken, id, portfolio: only, fileName, sha256, columns: columnWords(file), words, asked };
  }

  /**
   * Reads an upload and looks at it. Changes nothing.
   *
   * @throws LimitlineError `FILE` for a file without decisions
   */
  async function look(
    decisionsOf: string,
    { fileName, content, reading }: Upload,
    by: string,
  ): Promise<UploadedDecisions | UnreadUpload> {
    const now = new Date();
    const id = randomBytes(12).toString('base64url');
    const sha256 = createHash('sha256').update(content).digest('hex');
    const kept: Kept = { decisionsOf, fileName, sha256, reading, atMs: now.getTime() };
    const whole = content.toString('base64');
    try {
      const options = { ...reading, account: deps.account, keptOf: keptColumns.find, now };
      const file = await readUploaded(content, fileName, (path) => readDecisionsFile(path, options));
      const shown = await take(id, kept, { file, by, dryRun: true });
      if (shown.taken + shown.known > 0 || shown.asked)
        await deps.plans.keepAnswer(id, packed({ ...kept, file, ...(shown.asked ? { content: whole } : {}) }));
      return shown;
    } catch (error) {
      if (!(error instanceof ColumnsUnknown)) throw error;
      await deps.plans.keepAnswer(id, packed({ ...kept, content: whole }));
      return { id, portfolio: decisionsOf, fileName, message: error.message, asked: askedOf(error.header) };
    }
  }

  return {
    look,

    /** Looks at an upload again with a mapping of its columns, `HEADER=COLUMN` each; undefined if the upload is too old. */
    async name(id: string, portfolio: string, map: readonly string[], by: string) {
      const { decisionsOf, fileName, reading, content } = unpacked(await deps.plans.answer(id)) ?? {};
      if (decisionsOf !== portfolio || fileName === undefined || content === undefined) return undefined;
      return look(portfolio, { fileName, content: Buffer.from(content, 'base64'), reading: { ...reading, map } }, by);
    },

    /** Takes in the decisions that were looked at; undefined if that was done before, or the upload is too old. */
    async take(id: string, portfolio: string, by: string): Promise<UploadedDecisions | undefined> {
      const kept = unpacked(await deps.plans.answer(id));
      if (kept?.decisionsOf !== portfolio || !kept.file || !(await deps.plans.takeAnswer(id))) return undefined;
      await keptColumns.keep(kept.file, by);
      const { file, content: _, ...rest } = kept;
      const done = await take(id, kept, { file, by, dryRun: false });
      await deps.plans.keepAnswer(doneOf(id), packed({ ...rest, done }));
      return done;
    },

    /** The result for an upload that was taken in within the last 15 minutes. */
    async taken(id: string, portfolio: string): Promise<UploadedDecisions | undefined> {
      const kept = unpacked(await deps.plans.answer(doneOf(id)));
      return kept?.decisionsOf === portfolio ? kept.done : undefined;
    },
  };
}

/**
 * The id under which an upload's result is kept. It is not the upload's own, so that a late attempt to take the upload in again finds
 * nothing.
 */
const doneOf = (id: string) => `${id}.done`;

/** The columns to ask about. A header that occurs twice cannot be chosen. */
function askedOf(header: readonly string[], map: readonly string[] = []): ColumnsAsked {
  const headers = header.filter((cell) => cell.trim() !== '' && header.indexOf(cell) === header.lastIndexOf(cell));
  return { names: columnsToName(header), headers, map };
}

/** Compresses a kept upload, to a tenth for 100,000 lines. The result is JSON, like all other texts in the same store. */
function packed(kept: Kept): string {
  return JSON.stringify({ packed: gzipSync(JSON.stringify(kept)).toString('base64') });
}

function unpacked(text: string | null): Kept | undefined {
  const { packed: base64 } = JSON.parse(text ?? '{}') as { packed?: string };
  return base64 === undefined ? undefined : JSON.parse(gunzipSync(Buffer.from(base64, 'base64')).toString());
}

const keptSchema = z.object({ map: z.array(z.string()), by: z.string() });

/**
 * The store of mappings for files of decisions. A person names the columns of one file; the mapping then counts for all files with its
 * header.
 */
export function makeKeptColumns({ dataDir }: { dataDir: string }) {
  const dir = join(dataDir, 'mappings', 'decisions');
  const nameOf = (header: readonly string[]) => `${formOf(header)}.json`;

  return {
    async find(header: readonly string[]): Promise<KeptColumns | undefined> {
      const text = await readFile(join(dir, nameOf(header)), 'utf8').catch(() => '');
      // A mapping that is damaged, or of another version, counts as missing, so that people are asked again.
      return isJson(text) ? keptSchema.safeParse(JSON.parse(text)).data : undefined;
    },

    /** Keeps the mapping that a person gave for this file, for later files with its header. An empty mapping removes the one that was kept. */
    async keep({ header, mapped }: Pick<DecisionsFile, 'header' | 'mapped'>, by: string): Promise<void> {
      if (mapped.by !== undefined) return;
      if (mapped.map.length === 0) return rm(join(dir, nameOf(header)), { force: true });
      makeFolder(dir, 0o700);
      await putText(dir, nameOf(header), `${JSON.stringify({ map: mapped.map, by })}\n`);
    },
  };
}
