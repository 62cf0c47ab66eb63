import type { RedisConnection } from '../lua-script.ts';
import { CALL_KINDS, type CallKind, type Keys } from './keys.ts';
import { OPEN_STATES, ROW_STATES, type RowState, STEPS } from './rows.ts';

/** The file that was imported last. `id` names its copy in the data folder, `reading` is how it is read, as JSON. */
export type ImportedFile = { id: string; fileName: string; reading: string };

/** A line that led to no row, and why; `message` is for people. */
export type FaultyLine = { kind: 'invalid' | 'duplicate'; message: string };

/** Who the platform asks on behalf of: the company's id once it is known. */
export type Supplier = { body?: Record<string, unknown>; key?: string; id?: string; problem?: string };

export type PortfolioState = {
  name: string;
  importing: boolean;
  paused: string | undefined;
  file: ImportedFile | undefined;
  supplier: Supplier | undefined;
  startedMs: number | undefined;
  finishedMs: number | undefined;
  invalid: number;
  duplicate: number;
  states: Record<RowState, number>;
  statuses: Record<string, number>;
  calls: Record<CallKind | 'token' | 'throttled', number>;
  /** Things that were made twice for it. */
  madeTwice: number;
};

export type Portfolios = ReturnType<typeof makePortfolios>;

/** What is known of a portfolio beside its rows: its last import, its supplier and its counts. */
export function makePortfolios({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  return {
    async names(): Promise<string[]> {
      return connection.zrange(keys.portfolios, '0', '-1');
    },

    /** Begins an import: what the last one said of its faulty lines is forgotten, its rows are not. */
    async startImport(name: string, file: ImportedFile): Promise<void> {
      const now = Date.now();
      const cancels = (await connection.hget(keys.portfolio(name), 'cancels')) ?? '0';
      await connection
        .multi()
        .zadd(keys.portfolios, 'NX', String(now), name)
        .hset(keys.portfolio(name), {
          ...{ importing: file.id, importId: file.id },
          ...{ fileName: file.fileName, reading: file.reading, importGen: cancels },
        })
        .hsetnx(keys.portfolio(name), 'started', String(now))
        .hdel(keys.portfolio(name), 'finished', 'lines:invalid', 'lines:duplicate')
        .del(keys.faultyLines(name))
        .exec();
    },

    async addFaultyLines(name: string, lines: ReadonlyMap<number, FaultyLine>): Promise<void> {
      if (lines.size === 0) return;
      const counts = { invalid: 0, duplicate: 0 };
      const fields: Record<string, string> = {};
      for (const [line, fault] of lines) {
        counts[fault.kind] += 1;
        fields[line] = JSON.stringify(fault);
      }
      const step = connection.multi().hset(keys.faultyLines(name), fields);
      step.hincrby(keys.portfolio(name), 'lines:invalid', counts.invalid);
      step.hincrby(keys.portfolio(name), 'lines:duplicate', counts.duplicate);
      await step.exec();
    },

    async faultyLines(name: string, lines: readonly number[]): Promise<(FaultyLine | undefined)[]> {
      if (lines.length === 0) return [];
      const found = await connection.hmget(keys.faultyLines(name), ...lines.map(String));
      return found.map((text) => (text ? (JSON.parse(text) as FaultyLine) : undefined));
    },

    /** Ends an import. The portfolio is finished now if no row of it is open. */
    async endImport(name: string): Promise<void> {
      await connection.hdel(keys.portfolio(name), 'importing');
      const { states } = await this.read(name);
      if (OPEN_STATES.every((state) => states[state] === 0)) {
        await connection.hsetnx(keys.portfolio(name), 'finished', String(Date.now()));
      }
    },

    /** No new call starts for it from now on, in any process; calls in flight are answered. */
    async pause(name: string, why: string): Promise<void> {
      await connection.hset(keys.portfolio(name), 'paused', why);
    },

    /**
     * Gives up its rows: from now on no claim of theirs succeeds. Those that are brought in or sent again later pass it.
     * The rows themselves are settled one by one.
     */
    async cancel(name: string): Promise<void> {
      await connection.hincrby(keys.portfolio(name), 'cancels', 1);
    },

    /** Lets it go on, and listens to the first answers anew. */
    async resume(name: string): Promise<void> {
      await connection.hdel(keys.portfolio(name), 'paused', ...STEPS.map((step) => `canary:${step}`));
    },

    async setSupplier(name: string, supplier: Supplier): Promise<void> {
      await connection.hset(keys.portfolio(name), 'supplier', JSON.stringify(supplier));
    },

    /** Adds to a count that hangs on no call's claim, such as the token calls made for this portfolio. */
    async count(name: string, what: 'token' | 'throttled'): Promise<void> {
      await connection.hincrby(keys.portfolio(name), `calls:${what}`, 1);
    },

    /** All that is known, at one moment: the counts of one answer always add up. */
    async read(name: string): Promise<PortfolioState> {
      const step = connection.multi().hgetall(keys.portfolio(name));
      for (const state of ROW_STATES) step.zcard(keys.rowsInState(name, state));
      const answers = (await step.exec()) ?? [];
      const fields = (answers[0]?.[1] ?? {}) as Record<string, string>;
      const counts = answers.slice(1).map((answer) => Number(answer[1]));
      return { name, ...fromFields(fields), states: namedCounts(ROW_STATES, counts) };
    },
  };
}

function fromFields(fields: Record<string, string>): Omit<PortfolioState, 'name' | 'states'> {
  const number = (field: string) => (fields[field] === undefined ? undefined : Number(fields[field]));
  const statuses: Record<string, number> = {};
  for (const [field, count] of Object.entries(fields)) {
    if (field.startsWith('status:')) statuses[field.slice('status:'.length)] = Number(count);
  }
  const callNames = [...CALL_KINDS, 'token', 'throttled'] as const;
  return {
    importing: fields.importing !== undefined,
    paused: fields.paused,
    file: fields.importId
      ? { id: fields.importId, fileName: fields.fileName ?? '', reading: fields.reading ?? '{}' }
      : undefined,
    supplier: fields.supplier ? JSON.parse(fields.supplier) : undefined,
    startedMs: number('started'),
    finishedMs: number('finished'),
    invalid: number('lines:invalid') ?? 0,
    duplicate: number('lines:duplicate') ?? 0,
    statuses,
    madeTwice: number('again') ?? 0,
    calls: namedCounts(
      callNames,
      callNames.map((name) => number(`calls:${name}`) ?? 0),
    ),
  };
}

function namedCounts<Name extends string>(names: readonly Name[], counts: readonly number[]): Record<Name, number> {
  return Object.fromEntries(names.map((name, index) => [name, counts[index] ?? 0])) as Record<Name, number>;
}
