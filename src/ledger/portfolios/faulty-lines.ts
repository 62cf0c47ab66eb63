import { makeGatedScript } from '../schema/gated-script.ts';
import { FAULT_KINDS, type LedgerPlace } from '../schema/keys.ts';
import { hasWords } from '../search/index-words.ts';

/** Why a line led to no row; `message` is for people. `key`: of the line's request, if known. */
export type FaultyLine = { kind: FaultKind; message: string; key?: string; name?: string };
export type FaultKind = (typeof FAULT_KINDS)[number];

/**
 * A page of faulty lines in the order of lines. `next`: the line behind which the next page begins. `unlisted`: if there are too many
 * faulty lines to list any, their number; else 0.
 */
export type FaultyPage = { found: (FaultyLine & { line: number })[]; next?: number; unlisted: number };

/**
 * A line as an import found it: the key of its request, '' if unknown, and its fault, if any. A faulty line counts as the row of its key
 * only if that row is of its `buyer`, or the line names no buyer. `amount`: the requested limit as decimal text, or why it is in no
 * sum (`foreign`: in another currency; `long`: too many digits). `name`: whom the line names, if that is known.
 */
export type NotedLine = {
  key: string;
  buyer?: string | undefined;
  amount?: string | undefined;
  name?: string | undefined;
  fault: FaultyLine | null;
};

/** The faults of the lines of a portfolio's last import, and the rows that such lines count as. */
export function makeFaultyLines({ connection, keys }: LedgerPlace) {
  const note = makeGatedScript(connection, 'note-lines');
  const faultyKeysOf = (name: string) => FAULT_KINDS.map((kind) => keys.faultyLines(name, kind));

  /** The faults of these lines of the last import, in order; undefined for lines that led to a row. */
  async function faultyLines(name: string, lines: readonly number[]): Promise<(FaultyLine | undefined)[]> {
    const found: (FaultyLine | undefined)[] = [];
    for (const page of pagesOf(lines)) {
      const [invalid = [], duplicate = []] = await Promise.all(
        faultyKeysOf(name).map((key) => connection.hmget(key, ...page.map(String))),
      );
      for (const place of page.keys()) found.push(faultOf(invalid[place], duplicate[place]));
    }
    return found;
  }

  /**
   * For each of these row keys, the number of the invalid line that stands for the row in the last import; undefined for none. Such a line
   * is invalid now, but its request has a row since an earlier import. That row stays as it was.
   */
  async function keptRows(name: string, rowKeys: readonly string[]): Promise<(number | undefined)[]> {
    const found: (number | undefined)[] = [];
    for (const page of pagesOf(rowKeys)) {
      const lines = await connection.hmget(keys.keptRows(name), ...page);
      found.push(...lines.map((line) => (line === null ? undefined : Number(line))));
    }
    return found;
  }

  return {
    faultyLines,
    keptRows,

    /**
     * A page of the faulty lines of the last import, of these kinds, behind the line `after`. With a `text`, only the line with this
     * number, and lines whose name has words that begin with its words. If there are more than `most` faulty lines, none is read.
     */
    async faultyPage(
      name: string,
      given: {
        kinds: readonly FaultKind[];
        text?: string | undefined;
        after?: number | undefined;
        count: number;
        most?: number;
      },
    ): Promise<FaultyPage> {
      const { kinds, text, after = 0, count, most = MOST_LISTED } = given;
      const hashes = kinds.map((kind) => keys.faultyLines(name, kind));
      const sizes = await Promise.all(hashes.map((key) => connection.hlen(key)));
      const lines = sizes.reduce((sum, size) => sum + size, 0);
      if (lines > most) return { found: [], unlisted: lines };
      const all = await Promise.all(hashes.map((key) => connection.hgetall(key)));
      const found = all
        .flatMap((texts, at) =>
          Object.entries(texts).map(([line, fault]) => {
            return { line: Number(line), kind: kinds[at] ?? 'invalid', ...readFault(fault) };
          }),
        )
        .filter(
          ({ line, name: of = '' }) =>
            line > after && (text === undefined || text === String(line) || hasWords(of, text)),
        )
        .sort((one, other) => one.line - other.line);
      const page = found.slice(0, count);
      const last = found.length > count ? page.at(-1) : undefined;
      return { found: page, ...(last && { next: last.line }), unlisted: 0 };
    },

    /**
     * Counts the invalid and duplicate lines of the last import that are not among `lines`. A line whose row an earlier import left in the
     * portfolio counts as that row, so it is not counted here.
     */
    async faultyBeside(name: string, lines: readonly number[]): Promise<number> {
      const hashes = [...faultyKeysOf(name), keys.keptRows(name)];
      const [invalid = 0, duplicate = 0, kept = 0] = await Promise.all(hashes.map((key) => connection.hlen(key)));
      const faults = await faultyLines(name, lines);
      const ofRows = await keptRows(
        name,
        faults.map((fault) => fault?.key ?? ''),
      );
      const named = faults.filter((fault, at) => fault && ofRows[at] !== lines[at]).length;
      return invalid + duplicate - kept - named;
    },

    /** All keys that an import of another content deletes. */
    keysOf: (name: string) => [...faultyKeysOf(name), keys.keptRows(name), keys.leftOut(name)],

    /** Writes the faults of these lines for the import of this content, see note-lines.lua. */
    async noteLines(name: string, content: string, lines: ReadonlyMap<number, NotedLine>): Promise<void> {
      const faultyKeys = { invalid: keys.faultyLines(name, 'invalid'), duplicate: keys.faultyLines(name, 'duplicate') };
      const rowKeys = { kept: keys.keptRows(name), rows: keys.row(name, '') };
      const places = { portfolio: keys.portfolio(name), ...faultyKeys, leftOut: keys.leftOut(name), ...rowKeys };
      const tell = (page: readonly [number, NotedLine][]) =>
        note(places, { content, lines: page.flatMap(([line, noted]) => argsOf(line, noted)) });
      if (lines.size === 0) return;
      const faulty = [...lines].filter(([, { fault }]) => fault !== null);
      const [first = [], ...others] = pagesOf(faulty);
      const isTakenBack = (await tell(first)) === NOTED_BEFORE && faulty.length < lines.size;
      for (const page of others) await tell(page);
      // Sound lines are written only if faults were noted before: then a line may have an old fault, which is deleted.
      const sound = isTakenBack ? [...lines].filter(([, { fault }]) => fault === null) : [];
      for (const page of pagesOf(sound)) await tell(page);
    },
  };
}

/**
 * The most faulty lines that are sorted and searched, in some 10 ms. A file with more was read wrongly, and its errors are a file of their
 * own.
 */
const MOST_LISTED = 5_000;

/** The answer of note-lines.lua if faults were noted before, so that sound lines may have some to take back. */
const NOTED_BEFORE = 2;

/** Lines written or read with one command: well below a millisecond of Redis' time, and below a script's 8,000 arguments. */
const PAGE = 500;

function* pagesOf<T>(items: readonly T[]): Generator<T[]> {
  for (let from = 0; from < items.length; from += PAGE) yield items.slice(from, from + PAGE);
}

function argsOf(line: number, { key, buyer = '', amount = '', name = '', fault }: NotedLine): (string | number)[] {
  // The name is URL-encoded, since spaces and bars separate the parts of the stored text.
  const told = name === '' ? '' : `|${encodeURIComponent(name.toWellFormed())}`;
  return [line, fault?.kind ?? 'sound', fault?.message ?? '', key, buyer, amount + told];
}

function faultOf(invalid: string | null | undefined, duplicate: string | null | undefined): FaultyLine | undefined {
  if (typeof invalid === 'string') return { kind: 'invalid', ...readFault(invalid) };
  return typeof duplicate === 'string' ? { kind: 'duplicate', ...readFault(duplicate) } : undefined;
}

/** Reads the text of a faulty line, as note-lines.lua writes it. A text of an older version lacks the name, or amount and name. */
function readFault(text: string): Pick<FaultyLine, 'message' | 'key' | 'name'> {
  const end = text.indexOf(' ');
  const [key, , name] = text.slice(0, end).split('|');
  return { message: text.slice(end + 1), ...(key && { key }), ...(name && { name: decodeURIComponent(name) }) };
}
