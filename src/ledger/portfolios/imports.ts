import { createHash, randomUUID } from 'node:crypto';
import type { RedisConnection } from '../../lua-script.ts';
import { makeGatedScript } from '../schema/gated-script.ts';
import type { Keys } from '../schema/keys.ts';
import { startSigns } from '../schema/lease.ts';
import { makeFaultyLines, type NotedLine } from './faulty-lines.ts';

/**
 * The file that was imported last. `id` names its copy in the data folder, `reading` is how it is read, as JSON, and `by` who
 * imported it, in words; nothing where nobody said so.
 */
export type ImportedFile = { id: string; fileName: string; reading: string; by?: string };

/** What an import that came to its end counted in its file: `rows` are the lines that led to one. */
export type FoundInFile = { lines: number; rows: number; invalid: number; duplicate: number };

/**
 * One import of a portfolio, whether the last or not. Importing the same bytes read in the same way is the same import, under
 * the file name that was given last. Numbers begin with 1, in the order in which imports were first begun. `found` is there once
 * its file was read to the end.
 */
export type KnownImport = ImportedFile & { number: number; lastMs: number; found?: FoundInFile };

/** An import under way. It says so by itself, once a second, until it is ended or left. */
export type ImportRun = {
  /** Which import of its portfolio it is, see {@link KnownImport}: what its rows bear. */
  number: string;
  /** Which it is of all imports that were begun, those of a file that came again too: a larger one began later. */
  begun: string;
  /** How often the portfolio had been cancelled when it began: what is cancelled later is not brought back by it. */
  generation: number;
  /**
   * Writes down what is wrong with these lines. Saying it again changes nothing, and once another file is imported into the
   * portfolio, that one's lines are shown and these are not kept.
   */
  noteLines(lines: ReadonlyMap<number, NotedLine>): Promise<void>;
  /** The file was read to its end, with this in it. The portfolio is finished now if nothing else of it is open. */
  end(found?: FoundInFile): Promise<void>;
  /** The import was given up: until its file, or one begun later, is imported to the end, the portfolio is not finished. */
  leave(): Promise<void>;
};

/** What the imports under way say of themselves. */
type ImportSigns = { alive: boolean; gone: boolean };

/**
 * The imports of all portfolios. Several may be under way at once: of one file, then each of its lines is written down
 * once, or of several, then the faulty lines of the one that began last are shown.
 */
export function makeImports({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const script = (name: string) => makeGatedScript(connection, name);
  const [start, note] = [script('start-import'), script('note-import')];
  const faulty = makeFaultyLines({ connection, keys });
  const placesOf = (name: string) => ({
    portfolio: keys.portfolio(name),
    underWay: keys.imports(name),
    imports: keys.allImports(name),
  });

  async function begin(name: string, file: ImportedFile, replaces: boolean): Promise<ImportRun | undefined> {
    const content = contentOf(file);
    const run = `${content}:${randomUUID()}`;
    const begun = (await start(
      { ...placesOf(name), portfolios: keys.portfolios, faulty: faulty.keysOf(name) },
      {
        ...{ id: file.id, fileName: file.fileName, reading: file.reading, by: file.by },
        ...{ name, content, import: run, goneAfterMs: GONE_AFTER_MS, replaces: replaces ? 1 : 0 },
      },
    )) as [string, string, string] | [];
    if (begun.length === 0) return undefined;
    const [generation, number, place] = begun;
    const stopSigns = startSigns(() => note(placesOf(name), { what: 'beat', import: run }), SIGN_EVERY_MS);
    const finish = async (read: string, found?: FoundInFile) => {
      await stopSigns();
      await note(placesOf(name), { what: 'end', import: run, read, found: found && JSON.stringify(found) });
    };
    return {
      number,
      begun: place,
      generation: Number(generation),
      noteLines: (lines) => faulty.noteLines(name, content, lines),
      end: (found) => finish(content, found),
      leave: () => finish(''),
    };
  }

  return {
    faultyLines: faulty.faultyLines,
    keptRows: faulty.keptRows,

    /** Begins an import: what is known of the faulty lines of the one before is forgotten, its rows are not. */
    async startImport(name: string, file: ImportedFile): Promise<ImportRun> {
      return (await begin(name, file, false)) as ImportRun;
    },

    /** The same of one that is to replace what was imported before; nothing where one of another file is under way. */
    startReplacing: (name: string, file: ImportedFile): Promise<ImportRun | undefined> => begin(name, file, true),

    /** All imports of a portfolio, in the order of their numbers. */
    async allImports(name: string): Promise<KnownImport[]> {
      const found = Object.values(await connection.hgetall(keys.allImports(name)));
      return found.map((text): KnownImport => JSON.parse(text)).sort((a, b) => a.number - b.number);
    },

    /** Forgets imports that were killed. Answers when the portfolio was finished, in ms, if it is. */
    async sweepImports(name: string): Promise<number | undefined> {
      const finished = await note(placesOf(name), { what: 'sweep', goneAfterMs: GONE_AFTER_MS });
      return finished === '' ? undefined : Number(finished);
    },
  };
}

/** Reads the signs of life of a portfolio's imports: name, ms, name, ms … by the server's clock. */
export function signsOf(signs: readonly string[], nowMs: number): ImportSigns {
  const ages = signs.filter((_word, place) => place % 2 === 1).map((ms) => Math.abs(nowMs - Number(ms)));
  return { alive: ages.some((age) => age < GONE_AFTER_MS), gone: ages.some((age) => age >= GONE_AFTER_MS) };
}

/** Often enough that five signs must fail before an import counts as gone, rare enough to be nothing for Redis. */
const SIGN_EVERY_MS = 1_000;

/** Then a killed import is waited for no more. One that was only delayed says that it is there with its next sign. */
const GONE_AFTER_MS = 5_000;

/** Imports of one content come to the same lines. 16 characters, of a digest. */
export function contentOf({ id, reading }: Pick<ImportedFile, 'id' | 'reading'>): string {
  return createHash('sha256').update(`${id}\n${reading}`).digest('base64url').slice(0, 16);
}
