import { CALL_KINDS } from '../../call-kind.ts';
import { isLimitlineError } from '../../errors.ts';
import type { RedisConnection } from '../../lua-script.ts';
import { type MendedDifference, makeRowComparison, TALLIED } from '../comparison/row-comparison.ts';
import { type Cause, makeCauses } from '../counts/cause.ts';
import { readTallied, sumIn } from '../counts/sums.ts';
import { makeFirstRows } from '../rows/first-rows.ts';
import { archivedFault, archivedOf, makeArchives } from '../schema/archives.ts';
import { makeGatedScript } from '../schema/gated-script.ts';
import { FAULT_KINDS, type Keys } from '../schema/keys.ts';
import { pauseKindOf } from '../schema/pause-reasons.ts';
import { pairsAsFields, readAtOnce, redisNowMs } from '../schema/redis-reads.ts';
import { ROW_STATES } from '../schema/row.ts';
import { makeImports, signsOf } from './imports.ts';
import { isPending, makeSuppliers, type PortfolioState } from './portfolio.ts';

export type Portfolios = ReturnType<typeof makePortfolios>;

/** Portfolios: their imports, suppliers, counts and sums. */
export function makePortfolios(given: { connection: RedisConnection; keys: Keys; isSearched?: boolean }) {
  const { connection, keys, isSearched } = given;
  const archives = makeArchives({ connection, keys });
  const change = makeGatedScript(connection, 'general#change-fields');
  const imports = makeImports({ connection, keys });
  const comparison = makeRowComparison({ connection, keys, isSearched });
  const causes = makeCauses({ connection, keys });
  const suppliers = makeSuppliers({ connection, keys });
  return {
    ...imports,
    ...suppliers,
    ...makeFirstRows({ connection, keys }),
    mustBeHere: archives.mustBeHere,

    /**
     * Called after reading a portfolio's rows, to be sure that all of them were in Redis.
     *
     * @throws LimitlineError `USAGE` if some have been archived, or are not restored yet
     */
    async mustHaveRows(name: string): Promise<void> {
      const found = await archives.read(name);
      if (found && found.is !== 'archiving') throw archivedFault(found);
    },

    /**
     * Compares indexes and sums of these portfolios with their rows, mends them, and answers what differed. Calls `note` with each such
     * row.
     */
    async compare(
      names: readonly string[],
      note?: Parameters<typeof comparison.compare>[1],
    ): Promise<MendedDifference[]> {
      // read() adds rows of an older ledger to the sums first: that they were missing is no difference.
      for (const name of names) await this.read(name);
      return comparison.compare(names, note);
    },

    compareHeld: comparison.compareHeld,

    names: (): Promise<string[]> => connection.zrange(keys.portfolios, '0', '-1'),

    /** Portfolios with something still to do: an import, rows, or their supplier. In the order of names(). */
    async open(): Promise<PortfolioState[]> {
      return Promise.all((await this.openNames()).map((name) => this.read(name)));
    },

    async openNames(): Promise<string[]> {
      const names = await this.names();
      const step = connection.pipeline();
      const fields = ['finished', 'supplierApproval', 'supplier', 'supplierBefore'] as const;
      for (const name of names) step.hmget(keys.portfolio(name), ...fields);
      const answers = (await step.exec()) ?? [];
      return names.filter((_, place) => {
        const [finished, waitsFor, ...suppliers] = (answers[place]?.[1] ?? []) as (string | null)[];
        return !finished || waitsFor || suppliers.some((supplier) => supplier && isPending(JSON.parse(supplier)));
      });
    },

    /** From now on no process starts a new call for the portfolio; calls in flight are still answered. */
    async pause(name: string, why: string): Promise<void> {
      const changes = ['HSET', 'paused', why, 'HSET', 'pausedAt', Date.now()];
      await change({ hash: keys.portfolio(name) }, { changes });
    },

    /**
     * Cancels the rows of a portfolio: from now on their claims fail. Rows imported or sent again later are not concerned. The rows
     * themselves are moved one by one, later. Killed imports are removed. `by` is kept with the portfolio only, and not in each row.
     * Answers the moment, in ms, by Redis' clock, as imports are dated.
     */
    async cancel(name: string, by = ''): Promise<number> {
      const atMs = await redisNowMs(connection);
      const changes = ['HSET', 'cancelledBy', `${atMs} ${by}`, 'HINCRBY', 'cancels', 1];
      await change({ hash: keys.portfolio(name) }, { changes });
      await imports.sweepImports(name);
      return atMs;
    },

    /** Notes that the cancellation of this moment cancelled rows. */
    async noteRowsGivenUp(name: string, atMs: number): Promise<void> {
      await change({ hash: keys.portfolio(name) }, { changes: ['HSET', 'rowsGivenUp', atMs] });
    },

    /** Adds to a count that belongs to no claim, such as token calls; does nothing for an archived portfolio. */
    async count(name: string, what: 'token' | 'throttled'): Promise<void> {
      const counted = change({ hash: keys.portfolio(name) }, { changes: ['HINCRBY', `calls:${what}`, 1] });
      await counted.catch((error) => {
        if (archivedOf(error) === undefined) throw error;
      });
    },

    /** Why the portfolio's refused and held rows failed: the cause with most rows first, some 200 at most. */
    async causes(name: string): Promise<Cause[]> {
      // read() gives rows of an older ledger their causes.
      await this.read(name);
      return causes.read(name);
    },

    /** Whether nobody but `by`, named as in an import, ever imported into the portfolio; true if there is no such portfolio. */
    async isOwn(name: string, by: string): Promise<boolean> {
      const [owner, started] = await connection.hmget(keys.portfolio(name), 'owner', 'started');
      return started === null || (by !== '' && owner === by);
    },

    async tokenCalls(): Promise<number> {
      const step = connection.pipeline();
      for (const name of await this.names()) step.hget(keys.portfolio(name), 'calls:token');
      return ((await step.exec()) ?? []).reduce((sum, [, count]) => sum + Number(count ?? 0), 0);
    },

    /** Notes that indexes and sums were compared with the rows, and how much differed. */
    async noteReconciled(findings: number): Promise<void> {
      await connection.hset(keys.account, 'reconciled', `${Date.now()} ${findings}`);
    },

    /** The last comparison of indexes and sums with the rows; undefined if there was none. */
    async lastReconciled(): Promise<{ atMs: number; findings: number } | undefined> {
      const [atMs, findings] = ((await connection.hget(keys.account, 'reconciled')) ?? '').split(' ').map(Number);
      return atMs ? { atMs, findings: findings ?? 0 } : undefined;
    },

    /** Reads the whole state of a portfolio at one moment, so that its counts always add up. */
    async read(name: string): Promise<PortfolioState> {
      const { atMs, answers } = await readAtOnce(connection, [
        ['HGETALL', keys.portfolio(name)],
        ['ZRANGE', keys.imports(name), '0', '-1', 'WITHSCORES'],
        ['HGETALL', keys.sums(name, 'a')],
        ['HGETALL', keys.sums(name, 'b')],
        ['HGETALL', keys.leftOut(name)],
        ...FAULT_KINDS.map((kind) => ['HLEN', keys.faultyLines(name, kind)] as const),
        ['HLEN', keys.keptRows(name)],
        ...ROW_STATES.map((state) => ['ZCARD', keys.rowsInState(name, state)] as const),
      ]);
      const [found, running, a, b, left, ...sizes] = answers;
      const counts = sizes.map(Number);
      const [invalid = 0, duplicate = 0, belonging = 0, ...inStates] = counts;
      const leftFields = pairsAsFields(left);
      const kept = belonging - Number(leftFields.unsummed ?? 0);
      const { rows, added, ...tallied } = readTallied([a, b].map(pairsAsFields));
      const hash = pairsAsFields(found);
      // A portfolio begun by an older version may have rows that are not in the sums, or not as they are now: they are added once.
      const isUncounted = hash.counted === undefined && hash.tallied === undefined;
      const lacks = isUncounted && rows < inStates.reduce((sum, count) => sum + count, 0);
      const states = namedCounts(ROW_STATES, inStates);
      if (hash.archive === undefined && hash.tallied !== TALLIED && (lacks || added < states.done + states.skipped)) {
        // If archiving begins in between, nothing may change the rows any more, and they stay out of the sums.
        await comparison.tallyRows(name).catch(unlessArchived);
        return this.read(name);
      }
      const fields = fromFields(hash);
      const { alive, gone } = signsOf(running as string[], atMs);
      // Rare: the last row ended while a killed import still counted as under way, so the portfolio is not yet noted as finished.
      if (gone) {
        fields.finishedMs ??= await imports.sweepImports(name);
        fields.interrupted = (await connection.hexists(keys.portfolio(name), 'importing')) === 1;
      }
      fields.interrupted &&= fields.finishedMs === undefined;
      return {
        ...fields,
        name,
        supplier: await suppliers.knownSupplier(name, fields.supplier),
        importing: alive,
        interrupted: fields.interrupted && !alive,
        invalid: invalid - kept,
        duplicate,
        kept,
        leftOut: leftOutIn(leftFields, invalid - kept + duplicate),
        ...tallied,
        states,
      };
    },
  };
}

/** Reads the counts of left-out.lua; undefined if some of the `lines` are not in them, because an older version noted those lines. */
function leftOutIn(fields: Record<string, string>, lines: number): PortfolioState['leftOut'] {
  if (Number(fields.lines ?? 0) !== lines) return undefined;
  const count = (field: string) => Number(fields[field] ?? 0);
  return {
    amount: sumIn(fields, 'left'),
    bare: count('bare'),
    foreign: count('bare:foreign') || undefined,
    long: count('bare:long') || undefined,
  };
}

function unlessArchived(error: unknown): void {
  if (!isLimitlineError(error, 'USAGE')) throw error;
}

type Fields = Omit<
  PortfolioState,
  | 'name'
  | 'states'
  | 'importing'
  | 'invalid'
  | 'duplicate'
  | 'kept'
  | 'leftOut'
  | 'replaced'
  | 'statuses'
  | 'sums'
  | 'answers'
  | 'earlier'
  | 'earlierStatuses'
  | 'short'
>;

/** Reads what the portfolio's hash contains, without the counts that come from other keys. */
function fromFields(fields: Record<string, string>): Fields {
  const number = (field: string) => (fields[field] === undefined ? undefined : Number(fields[field]));
  const callNames = [...CALL_KINDS, 'token', 'throttled'] as const;
  return {
    interrupted: fields.importing !== undefined,
    archiving: fields.archive !== undefined && JSON.parse(fields.archive).is === 'archiving',
    paused: fields.paused,
    pausedMs: number('pausedAt'),
    pauseKind: pauseKindOf(fields.paused ?? '', fields.firstOver ?? ''),
    owner: fields.owner || undefined,
    first: number('first'),
    file: fields.importId
      ? {
          id: fields.importId,
          number: number('importNumber') ?? 0,
          fileName: fields.fileName ?? '',
          reading: fields.reading ?? '{}',
          ...(fields.by ? { by: fields.by } : {}),
        }
      : undefined,
    currencies: JSON.parse(fields.currencies ?? '[]'),
    ...suppliersIn(fields),
    givenUp: givenUpOf(fields.cancelledBy),
    rowsGivenUpMs: number('rowsGivenUp'),
    begun: number('begun') ?? 0,
    reopened: number('reopened') ?? 0,
    startedMs: number('started'),
    finishedMs: number('finished'),
    madeTwice: number('again') ?? 0,
    resent: namedCounts(
      CALL_KINDS,
      CALL_KINDS.map((kind) => number(`resent:${kind}`) ?? 0),
    ),
    counted: fields.counted ? { added: addedIn(fields), limitsMade: number('made:limit') ?? 0 } : undefined,
    calls: namedCounts(
      callNames,
      callNames.map((name) => number(`calls:${name}`) ?? 0),
    ),
  };
}

/** Reads who gave the portfolio up, and when: `<ms> <who>`. */
function givenUpOf(text: string | undefined): PortfolioState['givenUp'] {
  const [ms = '', ...by] = text?.split(' ') ?? [];
  return text === undefined ? undefined : { atMs: Number(ms), by: by.join(' ') };
}

/** How many rows each import added, by its number: the fields `added:<number>`. */
function addedIn(fields: Record<string, string>): Record<string, number> {
  const found = Object.entries(fields).filter(([field]) => field.startsWith('added:'));
  return Object.fromEntries(found.map(([field, count]) => [field.slice('added:'.length), Number(count)]));
}

/** Joins names and counts by their order. */
function namedCounts<Name extends string>(names: readonly Name[], counts: readonly number[]): Record<Name, number> {
  return Object.fromEntries(names.map((name, index) => [name, counts[index] ?? 0])) as Record<Name, number>;
}

/** The portfolio's supplier that counts, and a later one that waits for an approval or was declined. */
function suppliersIn(
  fields: Record<string, string>,
): Pick<PortfolioState, 'supplier' | 'supplierAwaits' | 'laterSupplier'> {
  const { supplier, supplierBefore, supplierApproval } = fields;
  const [named, awaits] = [supplier ? JSON.parse(supplier) : undefined, supplierApproval !== undefined];
  if (!supplierBefore) return { supplier: named, supplierAwaits: awaits, laterSupplier: undefined };
  return { supplier: JSON.parse(supplierBefore), supplierAwaits: false, laterSupplier: { ...named, awaits } };
}
