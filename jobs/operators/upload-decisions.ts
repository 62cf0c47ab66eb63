import { createHash, randomBytes } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Settings } from '../../src/config.ts';
import type { Plans } from '../../src/ledger/plans/plans.ts';
import { ColumnsUnknown, columnsToName, type DecisionColumn } from '../../src/portfolio/results/decision-columns.ts';
import {
  type DecisionsFile,
  type DecisionsReading,
  readDecisionsFile,
} from '../../src/portfolio/results/decisions-file.ts';
import { columnWords, decisionsWords } from './decisions-words.ts';
import { readUploaded } from './held-plans.ts';
import { makeKeptColumns } from './kept-columns.ts';
import { type DecisionDeps, type DecisionsTaken, takeDecisions } from './take-decisions.ts';

/** The columns of an upload that its header does not name, the headers that one of them may have, and what was said of them. */
export type ColumnsAsked = { names: DecisionColumn[]; headers: string[]; map: readonly string[] };

/** A file of decisions for the rows of one portfolio, and what became of it or would. */
export type UploadedDecisions = {
  /** Under which it may be taken in. */
  id: string;
  portfolio: string;
  fileName: string;
  sha256: string;
  /** Sentences about the columns, and about all lines. */
  columns: string[];
  words: string[];
  /** The columns of which somebody may still say what they are. */
  asked: ColumnsAsked | undefined;
} & Pick<DecisionsTaken, 'taken' | 'known' | 'rows' | 'left' | 'problems' | 'warnings' | 'would'>;

/** An upload that cannot be read before somebody says which column is what. */
export type UnreadUpload = { id: string; portfolio: string; fileName: string; message: string; asked: ColumnsAsked };

type Upload = {
  fileName: string;
  content: Buffer;
  reading: Pick<DecisionsReading, 'decimal' | 'dates' | 'map'>;
};

/**
 * An upload as it was read, without its other cells. Decisions that do not say when they were made count as made at `atMs`. While columns may
 * be named, the whole file is kept, as base64.
 */
type Kept = Omit<Upload, 'content'> & {
  decisionsOf: string;
  /** What became of it, once it was taken in. */
  done?: UploadedDecisions;
  sha256: string;
  atMs: number;
  file?: DecisionsFile;
  content?: string;
};

type DeskDeps = DecisionDeps & {
  plans: Pick<Plans, 'keepAnswer' | 'answer' | 'takeAnswer'>;
  settings: Pick<Settings, 'LIMITLINE_DATA'>;
};

/** Takes in uploaded decisions in two steps: what would become of them is shown, then just these are taken in once, for 15 minutes. */
export function makeDecisionsDesk(deps: DeskDeps) {
  const keptColumns = makeKeptColumns({ dataDir: deps.settings.LIMITLINE_DATA });

  async function take(
    id: string,
    { decisionsOf: only, fileName, sha256, atMs }: Kept,
    { file, ...how }: { file: DecisionsFile; by: string; dryRun: boolean },
  ): Promise<UploadedDecisions> {
    const taken = await takeDecisions({ ...file, name: fileName }, deps, { ...how, only, now: new Date(atMs) });
    const words = decisionsWords(taken, how.dryRun);
    // What somebody else said of a column can be said otherwise, also where no column is left over.
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
      const options = { ...reading, keptOf: keptColumns.find, now };
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

    /** Looks at an upload again, by what somebody says of its columns, `HEADER=COLUMN` each; undefined if it is too old. */
    async name(id: string, portfolio: string, map: readonly string[], by: string) {
      const { decisionsOf, fileName, reading, content } = unpacked(await deps.plans.answer(id)) ?? {};
      if (decisionsOf !== portfolio || fileName === undefined || content === undefined) return undefined;
      return look(portfolio, { fileName, content: Buffer.from(content, 'base64'), reading: { ...reading, map } }, by);
    },

    /** Takes in what was looked at; undefined if that happened already, or the upload is too old. */
    async take(id: string, portfolio: string, by: string): Promise<UploadedDecisions | undefined> {
      const kept = unpacked(await deps.plans.answer(id));
      if (kept?.decisionsOf !== portfolio || !kept.file || !(await deps.plans.takeAnswer(id))) return undefined;
      await keptColumns.keep(kept.file, by);
      const { file, content: _, ...rest } = kept;
      const done = await take(id, kept, { file, by, dryRun: false });
      await deps.plans.keepAnswer(doneOf(id), packed({ ...rest, done }));
      return done;
    },

    /** What became of an upload that was taken in within 15 minutes. */
    async taken(id: string, portfolio: string): Promise<UploadedDecisions | undefined> {
      const kept = unpacked(await deps.plans.answer(doneOf(id)));
      return kept?.decisionsOf === portfolio ? kept.done : undefined;
    },
  };
}

/** Another id than that of what may be taken in: whoever read that, and comes late to take it, finds it gone. */
const doneOf = (id: string) => `${id}.done`;

/** Headers that occur twice name no column. */
function askedOf(header: readonly string[], map: readonly string[] = []): ColumnsAsked {
  const headers = header.filter((cell) => cell.trim() !== '' && header.indexOf(cell) === header.lastIndexOf(cell));
  return { names: columnsToName(header), headers, map };
}

/** JSON, since answers about held rows are kept as JSON in the same place; 100,000 lines are a tenth as long when they are packed. */
function packed(kept: Kept): string {
  return JSON.stringify({ packed: gzipSync(JSON.stringify(kept)).toString('base64') });
}

function unpacked(text: string | null): Kept | undefined {
  const { packed: base64 } = JSON.parse(text ?? '{}') as { packed?: string };
  return base64 === undefined ? undefined : JSON.parse(gunzipSync(Buffer.from(base64, 'base64')).toString());
}
