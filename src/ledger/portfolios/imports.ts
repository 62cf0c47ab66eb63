import { randomUUID } from 'node:crypto';
import { contentDigest } from '../calls/claim-answers.ts';
import { makeGatedScript } from '../schema/gated-script.ts';
import type { LedgerPlace } from '../schema/keys.ts';
import { startSigns } from '../schema/lease.ts';
import { makeFaultyLines, type NotedLine } from './faulty-lines.ts';

/**
 * The last imported file. `id` names its copy in the data folder, `reading` is how it is read, as JSON, and `by` who imported it;
 * undefined if unknown.
 */
export type ImportedFile = { id: string; fileName: string; reading: string; by?: string };

/** What people did with the file before and at its import. */
export type ImportMade = {
  /** How many cells they corrected. */
  corrected?: number;
  /** How many lines they left out. */
  leftOut?: number;
  /** The sum of the lines that were left out; `bare`: how many of them have no readable amount. */
  outSum?: { amount: string; bare: number } | undefined;
  /** The requests of the lines that were left out, by key ('' if unknown), if they are kept. */
  out?: { key: string; amount?: string | undefined }[] | undefined;
  /** The people who did so. */
  people?: string;
  /** How many rows go first. */
  first?: number;
  /** The control total with which the file agrees, as it was typed. */
  total?: string;
};

/** What was found in a file that was read to its end. */
export type FoundInFile = {
  lines: number;
  /** The lines that led to a row. */
  rows: number;
  invalid: number;
  duplicate: number;
  /** The currency that the file names, if any. */
  currency?: string | undefined;
  /**
   * The columns that say which buyer or request a line means, with spaces between. Unknown if an older version read the file, of an errors
   * file, and without rows.
   */
  columns?: string;
  /** The one currency that earlier files named for all requests of the file that were sent before. This file may name none. */
  sentIn?: string | undefined;
};

/**
 * One import of a portfolio. The same bytes read in the same manner are the same import, under the last file name. Numbers begin with 1, in
 * the order in which imports first began. `lastMs`: when it began last. `found` is present once the file was read to its end. `sentIn` and
 * `columns`: what an earlier reading found of them, or else the header has, until then.
 */
export type KnownImport = ImportedFile & {
  number: number;
  lastMs: number;
  found?: FoundInFile;
  sentIn?: string;
  columns?: string | undefined;
  made?: ImportMade;
};

/** A file whose import begins. `columns`: those of its header that say which buyer or request a line means; undefined of an errors file. */
type BegunFile = ImportedFile & Pick<KnownImport, 'made' | 'columns'>;

/** An import under way. It sends a heartbeat each second until it is ended or left. */
export type ImportRun = {
  /** The import's number within the portfolio, see {@link KnownImport}; its rows keep the number. */
  number: string;
  /** The import's number among all imports begun, repeated ones included: a larger number began later. */
  begun: string;
  /** When the import began, in ms. The import does not send a row again that the service refused later. */
  beganMs: number;
  /** How often the portfolio had been cancelled when the import began. The import does not revive rows cancelled later. */
  generation: number;
  /**
   * Writes the faults of these lines. Repeating it changes nothing. Once another file is imported into the portfolio, nothing more is
   * written: the lines shown are that file's.
   */
  noteLines(lines: ReadonlyMap<number, NotedLine>): Promise<void>;
  /**
   * Whether Redis has had all heartbeats of the import: not if it was set back to an older copy, or another server took its place that
   * lacks the last writes. Then lines may be missing that were written.
   */
  isWhole(): Promise<boolean>;
  /** Ends the import of a file read to its end, with its counts. The portfolio is finished now if nothing else of it is open. */
  end(found?: FoundInFile): Promise<void>;
  /** Gives the import up. The portfolio is not finished until this file, or one begun later, is imported to its end. */
  leave(): Promise<void>;
};

/** Whether some imports under way send heartbeats, and whether some have stopped. */
type ImportSigns = { alive: boolean; gone: boolean };

/**
 * The imports of all portfolios. Several may be under way at once. If they are of one file, each of its lines is written once; if of
 * several, the faulty lines of the one that began last are shown.
 */
export function makeImports({ connection, keys }: LedgerPlace) {
  const script = (name: string) => makeGatedScript(connection, name);
  const [start, note] = [script('start-import'), script('note-import')];
  const faulty = makeFaultyLines({ connection, keys });
  const placesOf = (name: string) => ({
    portfolio: keys.portfolio(name),
    underWay: keys.imports(name),
    imports: keys.allImports(name),
  });

  async function begin(name: string, file: BegunFile, replaces: boolean): Promise<ImportRun | undefined> {
    const content = contentOf(file);
    const run = `${content}:${randomUUID()}`;
    const begun = (await start(
      { ...placesOf(name), portfolios: keys.portfolios, faulty: faulty.keysOf(name) },
      {
        ...{ id: file.id, fileName: file.fileName, reading: file.reading, by: file.by },
        ...{ made: file.made && JSON.stringify(file.made), columns: file.columns },
        ...{ name, content, import: run, goneAfterMs: GONE_AFTER_MS, replaces: replaces ? 1 : 0 },
      },
    )) as [string, string, string, string] | [];
    if (begun.length === 0) return undefined;
    const [generation, number, place, beganMs] = begun;
    let [seen, isWhole] = [beganMs, true];
    const sign = async () => {
      const heard = await note(placesOf(name), { what: 'beat', import: run, began: beganMs, seen });
      if (heard === '') isWhole = false;
      else seen = heard as string;
    };
    const stopSigns = startSigns(sign, SIGN_EVERY_MS);
    const finish = async (read: string, found?: FoundInFile) => {
      await stopSigns();
      await note(placesOf(name), { what: 'end', import: run, read, found: found && JSON.stringify(found) });
    };
    return {
      number,
      begun: place,
      beganMs: Number(beganMs),
      generation: Number(generation),
      noteLines: (lines) => faulty.noteLines(name, content, lines),
      async isWhole() {
        await sign();
        return isWhole;
      },
      end: (found) => finish(content, found),
      leave: () => finish(''),
    };
  }

  return {
    faultyLines: faulty.faultyLines,
    faultyPage: faulty.faultyPage,
    keptRows: faulty.keptRows,
    faultyBeside: faulty.faultyBeside,

    /** Begins an import. The faulty lines of the previous import are deleted, and its rows stay. */
    async startImport(name: string, file: BegunFile): Promise<ImportRun> {
      return (await begin(name, file, false)) as ImportRun;
    },

    /** Begins an import that replaces earlier ones; undefined if an import of another file is under way. */
    startReplacing: (name: string, file: BegunFile): Promise<ImportRun | undefined> => begin(name, file, true),

    /** All imports of a portfolio, in the order of their numbers. */
    async allImports(name: string): Promise<KnownImport[]> {
      const found = Object.values(await connection.hgetall(keys.allImports(name)));
      return found.map((text): KnownImport => JSON.parse(text)).sort((a, b) => a.number - b.number);
    },

    /** Removes killed imports. Answers when the portfolio was finished, in ms, or undefined if it is not. */
    async sweepImports(name: string): Promise<number | undefined> {
      const finished = await note(placesOf(name), { what: 'sweep', goneAfterMs: GONE_AFTER_MS, missedMs: MISSED_MS });
      return finished === '' ? undefined : Number(finished);
    },
  };
}

/** Reads the heartbeats of a portfolio's imports: name, ms, name, ms … by the server's clock. */
export function signsOf(signs: readonly string[], nowMs: number): ImportSigns {
  const ages = signs.filter((_word, place) => place % 2 === 1).map((ms) => Math.abs(nowMs - Number(ms)));
  return { alive: ages.some((age) => age < GONE_AFTER_MS), gone: ages.some((age) => age >= GONE_AFTER_MS) };
}

/** The interval of an import's heartbeats. Five must fail before the import counts as gone; more frequent ones would cost Redis more. */
const SIGN_EVERY_MS = 1_000;

/** An import without a heartbeat for so long counts as killed. A delayed one returns with its next heartbeat. */
const GONE_AFTER_MS = 5_000;

/** An import that missed two heartbeats before another one began was killed before: a living one is rarely so late. */
const MISSED_MS = 2 * SIGN_EVERY_MS;

/** Digest of a file and how it is read, 16 characters. Imports of one content lead to the same lines. */
export function contentOf({ id, reading }: Pick<ImportedFile, 'id' | 'reading'>): string {
  return contentDigest(`${id}\n${reading}`);
}
