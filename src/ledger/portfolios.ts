import { CALL_KINDS } from '../call-kind.ts';
import type { RedisConnection } from '../lua-script.ts';
import { FAULT_KINDS } from './faulty-lines.ts';
import { makeImports, signsOf } from './imports.ts';
import type { Keys } from './keys.ts';
import { isPending, type PortfolioState } from './portfolio.ts';
import { ROW_STATES, STEPS } from './row.ts';
import type { KeptSums } from './sums.ts';
import { makeSuppliers } from './suppliers.ts';

export type Portfolios = ReturnType<typeof makePortfolios>;

/** What is known of a portfolio beside its rows: its last import, its supplier and its counts. */
export function makePortfolios({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const imports = makeImports({ connection, keys });
  return {
    ...imports,
    ...makeSuppliers({ connection, keys }),

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
     * Cancels its rows: from now on no claim of theirs succeeds. Those that are brought in or sent again later pass it.
     * The rows themselves are moved one by one.
     */
    async cancel(name: string): Promise<void> {
      await connection.hincrby(keys.portfolio(name), 'cancels', 1);
    },

    /** Lets it go on, and looks at the first answers again. */
    async resume(name: string): Promise<void> {
      await connection.hdel(keys.portfolio(name), 'paused', ...STEPS.map((step) => `canary:${step}`));
    },

    /** Keeps what was added up over its rows. */
    async keepSums(name: string, sums: KeptSums): Promise<void> {
      await connection.hset(keys.portfolio(name), 'sums', JSON.stringify(sums));
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
        ...fields,
        name,
        importing: alive,
        interrupted: fields.interrupted && !alive,
        invalid: invalid - kept,
        duplicate,
        kept,
        states: namedCounts(ROW_STATES, inStates),
      };
    },
  };
}

type Fields = Omit<PortfolioState, 'name' | 'states' | 'importing' | 'invalid' | 'duplicate' | 'kept'>;

/** What the fields of a portfolio's hash say of it. */
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
          id: fields.importId,
          number: number('importNumber') ?? 0,
          fileName: fields.fileName ?? '',
          reading: fields.reading ?? '{}',
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

/** Counts by their names, in the order of both. */
function namedCounts<Name extends string>(names: readonly Name[], counts: readonly number[]): Record<Name, number> {
  return Object.fromEntries(names.map((name, index) => [name, counts[index] ?? 0])) as Record<Name, number>;
}
