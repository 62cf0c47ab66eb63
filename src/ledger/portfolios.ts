import { CALL_KINDS, type CallKind } from '../call-kind.ts';
import { makeLuaScript, type RedisConnection } from '../lua-script.ts';
import { FAULT_KINDS, type ImportedFile, makeImports, signsOf } from './imports.ts';
import type { Keys } from './keys.ts';
import { ROW_STATES, type RowState, STEPS } from './rows.ts';
import type { KeptSums } from './sums.ts';

/** Who the platform asks on behalf of: the company's id once it is known. */
export type Supplier = { body?: Record<string, unknown>; key?: string; id?: string; problem?: string };

export type PortfolioState = {
  name: string;
  /** Whether an import of it is under way. */
  importing: boolean;
  /** Whether the last import was given up or killed before the end of its file. */
  interrupted: boolean;
  paused: string | undefined;
  /** The file that was imported last, and which import of the portfolio that was. */
  file: (ImportedFile & { number: number }) | undefined;
  supplier: Supplier | undefined;
  startedMs: number | undefined;
  finishedMs: number | undefined;
  /** Lines of the last import, without those invalid ones whose request has a row already: they count as that. */
  invalid: number;
  duplicate: number;
  /** Rows whose line the last import found invalid: they stay as they were. */
  kept: number;
  states: Record<RowState, number>;
  statuses: Record<string, number>;
  calls: Record<CallKind | 'token' | 'throttled', number>;
  /** Cancelled rows in whose place another stands, or whose line a file that replaces the others lacks. */
  replaced: number;
  /** Things that were made twice for it. */
  madeTwice: number;
  /** What was added up when it was settled last; true only for what bears the same stamp. */
  sums: KeptSums | undefined;
};

export type Portfolios = ReturnType<typeof makePortfolios>;

/** What is known of a portfolio beside its rows: its last import, its supplier and its counts. */
export function makePortfolios({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const imports = makeImports({ connection, keys });
  const endSupplier = makeLuaScript(connection, new URL('./lua/end-supplier.lua', import.meta.url));
  return {
    ...imports,

    async names(): Promise<string[]> {
      return connection.zrange(keys.portfolios, '0', '-1');
    },

    /** Those for which something may still be to be done: an import, rows, or their supplier. In the order of names(). */
    async open(): Promise<PortfolioState[]> {
      const names = await this.names();
      const step = connection.pipeline();
      for (const name of names) step.hmget(keys.portfolio(name), 'finished', 'supplier');
      const answers = (await step.exec()) ?? [];
      const open = names.filter((_, place) => {
        const [finished, supplier] = (answers[place]?.[1] ?? []) as (string | null)[];
        return !finished || (supplier && isPending(JSON.parse(supplier)));
      });
      return Promise.all(open.map((name) => this.read(name)));
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

    /** Writes down what became of the supplier; of one that an import has replaced meanwhile, nothing. */
    async endSupplier(name: string, supplier: Supplier & { key: string }): Promise<void> {
      await endSupplier([keys.portfolio(name)], [supplier.key, JSON.stringify(supplier)]);
    },

    /** Keeps what was added up over its rows. */
    async keepSums(name: string, sums: KeptSums): Promise<void> {
      await connection.hset(keys.portfolio(name), 'sums', JSON.stringify(sums));
    },

    /** Asks for a supplier again that was given up with its portfolio. */
    async reviveSupplier(name: string, { body, key }: Supplier): Promise<void> {
      const cancels = (await connection.hget(keys.portfolio(name), 'cancels')) ?? '0';
      await connection.hset(keys.portfolio(name), { supplier: JSON.stringify({ body, key }), importGen: cancels });
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
      const step = connection.multi().hgetall(keys.portfolio(name)).time();
      step.zrange(keys.imports(name), '0', '-1', 'WITHSCORES');
      for (const kind of FAULT_KINDS) step.hlen(keys.faultyLines(name, kind));
      step.hlen(keys.keptRows(name));
      for (const state of ROW_STATES) step.zcard(keys.rowsInState(name, state));
      const [found, time, running, ...sizes] = ((await step.exec()) ?? []).map(([, answer]) => answer);
      const counts = sizes.map(Number);
      const [invalid = 0, duplicate = 0, kept = 0, ...inStates] = counts;
      const fields = fromFields((found ?? {}) as Record<string, string>);
      const [seconds = 0, microseconds = 0] = (time ?? []) as number[];
      const { alive, gone } = signsOf((running ?? []) as string[], seconds * 1_000 + microseconds / 1_000);
      // Rare: the last row ended while a killed import still counted as one under way.
      if (gone) fields.finishedMs ??= await imports.sweepImports(name);
      return {
        ...{ name, ...fields, importing: alive, interrupted: fields.interrupted && !alive },
        ...{ invalid: invalid - kept, duplicate, kept },
        states: namedCounts(ROW_STATES, inStates),
      };
    },
  };
}

/** Whether a supplier is still to be made. */
export function isPending({ body, id, problem }: Supplier): boolean {
  return body !== undefined && !id && !problem;
}

type Fields = Omit<PortfolioState, 'name' | 'states' | 'importing' | 'invalid' | 'duplicate' | 'kept'>;

function fromFields(fields: Record<string, string>): Fields {
  const number = (field: string) => (fields[field] === undefined ? undefined : Number(fields[field]));
  const statuses: Record<string, number> = {};
  for (const [field, count] of Object.entries(fields)) {
    if (field.startsWith('status:')) statuses[field.slice('status:'.length)] = Number(count);
  }
  const callNames = [...CALL_KINDS, 'token', 'throttled'] as const;
  return {
    interrupted: fields.importing !== undefined,
    paused: fields.paused,
    file: fields.importId
      ? {
          ...{ id: fields.importId, number: number('importNumber') ?? 0 },
          ...{ fileName: fields.fileName ?? '', reading: fields.reading ?? '{}' },
        }
      : undefined,
    supplier: fields.supplier ? JSON.parse(fields.supplier) : undefined,
    startedMs: number('started'),
    finishedMs: number('finished'),
    statuses,
    replaced: number('replaced') ?? 0,
    madeTwice: number('again') ?? 0,
    sums: fields.sums ? JSON.parse(fields.sums) : undefined,
    calls: namedCounts(
      callNames,
      callNames.map((name) => number(`calls:${name}`) ?? 0),
    ),
  };
}

function namedCounts<Name extends string>(names: readonly Name[], counts: readonly number[]): Record<Name, number> {
  return Object.fromEntries(names.map((name, index) => [name, counts[index] ?? 0])) as Record<Name, number>;
}
