import { createHash, randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import type { Settings } from '../../src/config.ts';
import { counted, grouped, moneyText } from '../../src/counted.ts';
import { makeFolder } from '../../src/data-folder.ts';
import { putText } from '../../src/files/disk.ts';
import { isJson } from '../../src/json-pointer.ts';
import type { AmountIn } from '../../src/ledger/counts/outcome-sums.ts';
import type {
  ColumnsAsked,
  DecisionsTaken,
  ForeseenChanges,
  UnreadUpload,
  UploadedDecisions,
} from '../../src/ledger/plans/decisions-taken.ts';
import type { Plans } from '../../src/ledger/plans/plan.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { formOf } from '../../src/portfolio/read-options.ts';
import { ColumnsUnknown, columnsToName } from '../../src/portfolio/results/decision-columns.ts';
import type { DecisionsFile, DecisionsReading, KeptColumns } from '../../src/portfolio/results/decisions-file.ts';
import { readDecisionsFile } from '../../src/portfolio/results/decisions-file.ts';
import { saysAbove } from './decision-doubts.ts';
import { readUploaded } from './held-plans.ts';
import { type DecisionDeps, takeDecisions } from './take-decisions.ts';

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
const packed = (kept: Kept): string => JSON.stringify({ packed: gzipSync(JSON.stringify(kept)).toString('base64') });

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

/** The most statuses without a meaning that a message names. The command `limitline statuses` lists all. */
const STATUSES_NAMED = 5;

/** The messages about a file's missing and unread columns, one sentence each. */
export function columnWords({ lacks, unread, mapped }: Pick<DecisionsFile, 'lacks' | 'unread' | 'mapped'>): string[] {
  return [
    ...(mapped.by === undefined
      ? []
      : [`Columns are read as ${mapped.by} said of such a file: ${mapped.map.map(visible).join(', ')}.`]),
    ...(lacks.includes('total_limit') ? ['The file has no column total_limit: the amounts that are known stay.'] : []),
    ...(lacks.includes('available_limit')
      ? [
          'The file has no column available_limit: the available amount of a limit is no longer known once the file says something new about it.',
        ]
      : []),
    ...(unread.length > 0 ? [`Columns that are not read: ${unread.map(visible).join(', ')}.`] : []),
  ];
}

/** The sentence about a file of decisions without lines. */
export const NO_LINES = 'The file has a header and no line, so there is nothing to take.';

/** Sentences about what became of a file's decisions or, in a dry run, would become of them. Single lines are in `problems` and `warnings`. */
export function decisionsWords(decided: DecisionsTaken, dryRun = false): string[] {
  const { taken, known, silent, rows, left, statuses, unexplained, problems, warnings, did, would = did } = decided;
  if (taken + known + silent + left + problems.length === 0) return [NO_LINES];
  const often = Object.entries(statuses).sort(([, one], [, other]) => other - one);
  const by = often.map(([status, count]) => `${grouped(count)} ${visible(status)}`);
  const none = left > 0 ? '' : ', without a change of any row';
  const follow = rows > 0 ? ` for ${counted(rows, 'row')}` : none;
  const of = by.length > 0 ? ` (${by.join(', ')})${dryRun ? '' : follow}` : '';
  const named = unexplained.slice(0, STATUSES_NAMED).map((status) => `"${visible(status)}"`);
  const others = unexplained.length - named.length;
  const above = warnings.filter(({ message }) => saysAbove(message)).length;
  const more = others > 0 ? ` and ${counted(others, 'other status', 'other statuses')}` : '';
  return [
    `${counted(taken, 'decision')} ${dryRun ? 'would be taken' : 'taken'}${of}, ${grouped(known)} known already, ${grouped(problems.length)} not taken.`,
    ...(would ? loweredSums(would, dryRun) : []),
    ...(left > 0
      ? [`${counted(left, 'row')} ${left === 1 ? 'does' : 'do'} not follow the decision yet: see the warnings.`]
      : []),
    ...(above > 0
      ? [
          `${counted(above, 'decision')} ${above === 1 ? 'has' : 'have'} a limit above the amount that was requested: see the warnings.`,
        ]
      : []),
    ...(named.length > 0
      ? [
          `Nobody has said what ${named.join(', ')}${more} ${unexplained.length === 1 ? 'means' : 'mean'}: say it on the console’s page Statuses, or by npx limitline statuses.`,
        ]
      : []),
    ...(would && taken > 0
      ? [`Granted of these requests: ${sumsText(would.before)} before, ${sumsText(would.after)} afterwards.`]
      : []),
    ...(silent > 0 ? [`${counted(silent, 'line')} ${silent === 1 ? 'decides' : 'decide'} nothing.`] : []),
  ];
}

/** The sentence about approvals that decisions take away or lower, if there are any. */
function loweredSums({ lowered: { limits, less } }: ForeseenChanges, dryRun: boolean): string[] {
  if (limits === 0) return [];
  const are = dryRun ? 'would be' : limits === 1 ? 'is' : 'are';
  const sum = less.length > 0 ? `: ${sumsText(less)} less ${dryRun ? 'would be' : 'is'} granted` : '';
  return [`${counted(limits, 'approval')} ${are} taken away or lowered${sum}.`];
}

const sumsText = (sums: readonly AmountIn[]) =>
  sums.map(({ amount, currency }) => moneyText(amount, currency)).join(' and ') || moneyText('0');

/** The first rows that decisions change or, in a dry run, would change, as lines for a terminal. */
export function foreseenWords({ rows, more }: Pick<ForeseenChanges, 'rows' | 'more'>): string[] {
  const granted = (amount: string) => (amount === '' ? 'none' : moneyText(amount));
  return [
    ...rows.map(({ row, name, requested, currency, before, after }) => {
      const status = `${visible(before.status) || 'no status'} → ${visible(after.status)}`;
      // What was requested with an archived row stands in its archive alone.
      const asked = requested === '' ? '' : `, ${moneyText(requested, currency)} requested`;
      return `${visible(name) || row}${asked}: ${status}, granted ${granted(before.granted)} → ${granted(after.granted)}`;
    }),
    ...(more > 0 ? [`and ${counted(more, 'more row')}`] : []),
  ];
}
