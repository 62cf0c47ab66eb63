import { makeLuaScript } from '../../lua-script.ts';
import type { ArchiveState } from '../schema/archives.ts';
import type { Keys, LedgerPlace } from '../schema/keys.ts';
import { LEFT_OF_ARCHIVED } from '../schema/records.ts';
import { ROW_STATES } from '../schema/row.ts';

export type ArchiveSteps = ReturnType<typeof makeArchiveSteps>;

type Ledger = LedgerPlace;

/** Why a portfolio cannot be archived now, and the number of rows that prevent it. */
export type NotArchived = {
  why:
    | 'gone'
    | 'importing'
    | 'open'
    | 'awaiting'
    | 'held'
    | 'approval'
    | 'supplier'
    | 'doubt'
    | 'interrupted'
    | 'unfinished';
  rows: number;
};

/**
 * Archiving has begun, with the state of an earlier attempt that died (`before`); or the portfolio already has an archive state (`is`); or
 * why not.
 */
type BegunArchive = { begun: true; before?: ArchiveState } | { is: ArchiveState } | NotArchived;

/** Rows deleted with one command: two milliseconds of Redis' time. */
const ROWS = 100;

/**
 * The steps of archiving and restoring a portfolio. Each may be repeated, and does nothing if the portfolio is not in the expected state
 * under the same id and run. So a process that another one has overtaken does no harm.
 */
export function makeArchiveSteps({ connection, keys }: Ledger) {
  const putBack = makeLuaScript(connection, new URL('../lua/put-back.lua', import.meta.url));
  const change = makeArchiveChange({ connection, keys });
  const restore = async (of: 'rows' | 'keys', name: string, run: string, lines: readonly Buffer[]) => {
    return (await putBack(archivePlaces(keys, name), { of, run, lines })) === 1;
  };

  return {
    /**
     * Begins archiving if allowed: from then on nothing changes the portfolio. Without `state` it changes nothing, and only tells whether
     * archiving is possible.
     */
    async begin(name: string, state?: ArchiveState): Promise<BegunArchive> {
      const begun = await change(name, 'archive', [state ? JSON.stringify(state) : '']);
      const [answer, text = ''] = begun as [string, string?];
      if (answer === 'begun') return text === '' ? { begun: true } : { begun: true, before: JSON.parse(text) };
      if (answer === 'is') return { is: JSON.parse(text) };
      return { why: answer as NotArchived['why'], rows: Number(text) };
    },

    /** Cancels archiving. Answers false if the portfolio's rows are being deleted by now, or if another process archives it. */
    drop: async (name: string, id: string): Promise<boolean> => (await change(name, 'drop', [id])) === 1,

    /**
     * Moves the portfolio to the archives, once its files are written and verified. Answers whether it did: not if another process archives
     * it.
     */
    async leave(name: string, state: ArchiveState): Promise<boolean> {
      return (await change(name, 'leave', [state.id, JSON.stringify(state), state.sinceMs])) === 1;
    },

    /** Deletes all rows of the portfolio in pages. Yields how many; a last undefined if the portfolio no longer leaves under this id. */
    async *takeOutRows(name: string, id: string): AsyncGenerator<number | undefined> {
      for (const state of ROW_STATES) {
        for (let taken = ROWS; taken === ROWS; ) {
          taken = Number(await change(name, 'takeRows', [id, state, ROWS]));
          if (taken > 0) yield taken;
          if (taken < 0) return yield undefined;
        }
      }
    },

    /** Deletes keys by their names in the archive. Answers false if the portfolio no longer leaves under this id. */
    async takeOutKeys(name: string, id: string, names: readonly string[]): Promise<boolean> {
      return Number(await change(name, 'takeKeys', [id, ...names])) >= 0;
    },

    /** Ends archiving, when everything is deleted. Answers whether it is archived. */
    async end(name: string, state: ArchiveState): Promise<boolean> {
      const stay = fieldsText(LEFT_OF_ARCHIVED);
      return (await change(name, 'archived', [state.id, JSON.stringify(state), state.sinceMs, stay])) === 1;
    },

    /** Begins to restore the portfolio, by this run only. Answers false if it is not archived under this id. */
    async beginRestore(name: string, state: ArchiveState, run: string): Promise<boolean> {
      const restoring: ArchiveState = { ...state, is: 'restoring', sinceMs: Date.now() };
      return (await change(name, 'restore', [state.id, JSON.stringify(restoring), run])) === 1;
    },

    /** Restores the rows of these lines. Answers false if another run restores the portfolio. */
    putRows: (name: string, run: string, lines: readonly Buffer[]): Promise<boolean> =>
      restore('rows', name, run, lines),

    /** Restores the portfolio's keys other than its rows and its hash from these lines. Answers false if another run restores the portfolio. */
    putKeys: (name: string, run: string, lines: readonly Buffer[]): Promise<boolean> =>
      restore('keys', name, run, lines),

    /**
     * Ends restoring: from then on the portfolio is an ordinary one again.
     *
     * @param back.lines the lines of its hash
     * @returns whether it is; `rows` if the number of rows in Redis differs from the archive
     */
    async endRestore(
      name: string,
      { run, startedMs, rows, lines }: { run: string; startedMs: number; rows: number; lines: readonly Buffer[] },
    ): Promise<boolean | 'rows'> {
      const answer = await change(name, 'restored', [run, startedMs, rows, ...lines]);
      return answer === -1 ? 'rows' : answer === 1;
    },
  };
}

/** The keys of a portfolio, and the key prefixes of approvals and of its rows. */
export function archivePlaces(keys: Keys, name: string) {
  return { portfolio: keys.portfolio(name), approvals: keys.approval(''), row: keys.row(name, '') };
}

/** Runs a step of change-archive.lua, which documents arguments and answers. */
export function makeArchiveChange({ connection, keys }: Ledger) {
  const change = makeLuaScript(connection, new URL('../lua/change-archive.lua', import.meta.url));
  return (name: string, step: ArchiveStepName, told: readonly (string | number | Buffer)[]): Promise<unknown> => {
    const { portfolios, archives, toFollow } = keys;
    const places = { ...archivePlaces(keys, name), portfolios, archives, imports: keys.imports(name), toFollow };
    return change(places, { step, name, states: ROW_STATES.join(' '), told });
  };
}

type ArchiveStepName =
  | 'archive'
  | 'drop'
  | 'leave'
  | 'takeRows'
  | 'takeKeys'
  | 'archived'
  | 'restore'
  | 'restored'
  | 'forget'
  | 'note';

/** Names of fields in the form that change-archive.lua reads. */
export function fieldsText(fields: readonly string[]): string {
  return ` ${fields.join(' ')} `;
}
