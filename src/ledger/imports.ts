import { createHash, randomUUID } from 'node:crypto';
import { makeLuaScript, type RedisConnection } from '../lua-script.ts';
import type { Keys } from './keys.ts';

/** The file that was imported last. `id` names its copy in the data folder, `reading` is how it is read, as JSON. */
export type ImportedFile = { id: string; fileName: string; reading: string };

/**
 * One import of a portfolio, whether the last or not. Importing the same bytes read in the same way is the same import, under
 * the file name that was given last. Numbers begin with 1, in the order in which imports were first begun.
 */
export type KnownImport = ImportedFile & { number: number; lastMs: number };

/** A line that led to no row, and why; `message` is for people. `key` is its request's, where that is known. */
export type FaultyLine = { kind: 'invalid' | 'duplicate'; message: string; key?: string };

/**
 * A line as an import found it: the key of its request, '' where that is not known, and what is wrong, if anything is. A faulty
 * line counts as the row of its key only where that is of its `buyer`, if it tells one.
 */
export type NotedLine = { key: string; buyer?: string | undefined; fault: FaultyLine | null };

/** An import under way. It says so by itself, once a second, until it is ended or left. */
export type ImportRun = {
  /** Which import of its portfolio it is, see {@link KnownImport}: what its rows bear. */
  number: string;
  /** Which it is of all imports that were begun, those of a file that came again too: a larger one began later. */
  begun: string;
  /** How often the portfolio had been given up when it began: what is given up later is not brought back by it. */
  generation: number;
  /**
   * Writes down what is wrong with these lines. Saying it again changes nothing, and once another file is imported into the
   * portfolio, that one's lines are shown and these are not kept.
   */
  noteLines(lines: ReadonlyMap<number, NotedLine>): Promise<void>;
  /** The file was read to its end. The portfolio is finished now if nothing else of it is open. */
  end(): Promise<void>;
  /** The import was given up: until its file, or one begun later, is imported to the end, the portfolio is not finished. */
  leave(): Promise<void>;
};

/** What the imports under way say of themselves. */
export type ImportSigns = { alive: boolean; gone: boolean };

export const FAULT_KINDS = ['invalid', 'duplicate'] as const satisfies readonly FaultyLine['kind'][];

export type Imports = ReturnType<typeof makeImports>;

/**
 * The imports of all portfolios. Several may be under way at once: of one file, then each of its lines is written down
 * once, or of several, then the faulty lines of the one that began last are shown.
 */
export function makeImports({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const script = (name: string) => makeLuaScript(connection, new URL(`./lua/${name}.lua`, import.meta.url));
  const [start, beat, note] = [script('start-import'), script('beat-import'), script('note-lines')];
  const [end, sweep] = [script('end-import'), script('sweep-imports')];
  const faultyKeys = (name: string) => FAULT_KINDS.map((kind) => keys.faultyLines(name, kind));

  async function begin(name: string, file: ImportedFile, replaces: boolean): Promise<ImportRun | undefined> {
    const content = contentOf(file);
    const run = `${content}:${randomUUID()}`;
    const underWay = [keys.portfolio(name), keys.imports(name)];
    const lists = [keys.portfolios, keys.imports(name), keys.allImports(name)];
    const begun = (await start(
      [keys.portfolio(name), ...lists, ...faultyKeys(name), keys.keptRows(name)],
      [name, content, run, GONE_AFTER_MS, file.id, file.fileName, file.reading, replaces ? 1 : 0],
    )) as [string, string, string] | [];
    if (begun.length === 0) return undefined;
    const [generation, number, place] = begun;
    const signs = startSigns(() => beat(underWay, [run]));
    const finish = async (read: string) => {
      await signs.stop();
      await end(underWay, [run, read]);
    };
    return {
      ...{ number, begun: place },
      generation: Number(generation),
      async noteLines(lines) {
        for (const page of pagesOf([...lines])) {
          const words = page.flatMap(([line, noted]) => wordsOf(line, noted));
          const rows = [keys.keptRows(name), keys.row(name, '')];
          await note([keys.portfolio(name), ...faultyKeys(name), ...rows], [content, ...words]);
        }
      },
      end: () => finish(content),
      leave: () => finish(''),
    };
  }

  return {
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

    /** What is wrong with these lines of the last import, in their order; nothing for those that led to a row. */
    async faultyLines(name: string, lines: readonly number[]): Promise<(FaultyLine | undefined)[]> {
      const found: (FaultyLine | undefined)[] = [];
      for (const page of pagesOf(lines)) {
        const [invalid = [], duplicate = []] = await Promise.all(
          faultyKeys(name).map((key) => connection.hmget(key, ...page.map(String))),
        );
        for (const place of page.keys()) found.push(faultOf(invalid[place], duplicate[place]));
      }
      return found;
    },

    /**
     * The invalid line of the last import that is counted as this row, for each of these keys: its request has the row
     * already, of an earlier import or before its documents went away, and that stays as it was.
     */
    async keptRows(name: string, rowKeys: readonly string[]): Promise<(number | undefined)[]> {
      const found: (number | undefined)[] = [];
      for (const page of pagesOf(rowKeys)) {
        const lines = await connection.hmget(keys.keptRows(name), ...page);
        found.push(...lines.map((line) => (line === null ? undefined : Number(line))));
      }
      return found;
    },

    /** Forgets imports that were killed. Answers when the portfolio was finished, in ms, if it is. */
    async sweepImports(name: string): Promise<number | undefined> {
      const finished = await sweep([keys.portfolio(name), keys.imports(name)], [GONE_AFTER_MS]);
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

/** Then a killed import is waited for no more. One that was only held up says that it is there with its next sign. */
const GONE_AFTER_MS = 5_000;

/** Lines written or read with one command: well below a millisecond of Redis' time, and of a script's 8,000 words. */
const PAGE = 500;

function* pagesOf<T>(items: readonly T[]): Generator<T[]> {
  for (let from = 0; from < items.length; from += PAGE) yield items.slice(from, from + PAGE);
}

/** Imports of one content come to the same lines. 16 characters, of a digest. */
function contentOf({ id, reading }: ImportedFile): string {
  return createHash('sha256').update(`${id}\n${reading}`).digest('base64url').slice(0, 16);
}

function wordsOf(line: number, { key, buyer = '', fault }: NotedLine): (string | number)[] {
  return [line, fault?.kind ?? 'sound', fault?.message ?? '', key, buyer];
}

function faultOf(invalid: string | null | undefined, duplicate: string | null | undefined): FaultyLine | undefined {
  if (typeof invalid === 'string') return { kind: 'invalid', ...readFault(invalid) };
  return typeof duplicate === 'string' ? { kind: 'duplicate', ...readFault(duplicate) } : undefined;
}

/** `<key or nothing> <message>`, as note-lines.lua writes it. */
function readFault(text: string): Pick<FaultyLine, 'message' | 'key'> {
  const end = text.indexOf(' ');
  const message = text.slice(end + 1);
  return end === 0 ? { message } : { message, key: text.slice(0, end) };
}

function startSigns(sign: () => Promise<unknown>) {
  let under: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    // While Redis is away, one sign waits and no more of them pile up; that the import itself fails is said by the import.
    under ??= sign()
      .catch(() => {})
      .finally(() => {
        under = undefined;
      });
  }, SIGN_EVERY_MS).unref();
  return {
    /** No sign comes after this: one that overtook the end would be a sign of something that is gone. */
    async stop(): Promise<void> {
      clearInterval(timer);
      await under;
    },
  };
}
