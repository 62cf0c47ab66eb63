import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import type { ArchiveState } from '../schema/archives.ts';
import type { Keys } from '../schema/keys.ts';
import { LEFT_OF_ARCHIVED } from '../schema/records.ts';
import { ROW_STATES } from '../schema/row.ts';

export type ArchiveSteps = ReturnType<typeof makeArchiveSteps>;

type Ledger = { connection: RedisConnection; keys: Keys };

/** Why a portfolio may not be archived now, and how many rows are why. */
export type NotArchived = {
  why: 'gone' | 'importing' | 'open' | 'awaiting' | 'held' | 'supplier' | 'interrupted' | 'unfinished';
  rows: number;
};

/**
 * That it was begun, and the archive that a process which died had begun before (`before`); or where it is on its way already
 * (`is`); or why not.
 */
export type BegunArchive = { begun: true; before?: ArchiveState } | { is: ArchiveState } | NotArchived;

/** Rows that one command takes out: two milliseconds of Redis' time. */
const ROWS = 100;

/**
 * The way of a portfolio out of Redis, and back, step by step. Each step may be done again, and does nothing where the portfolio is not on
 * its way under the same id, or by the same run: whoever was overtaken by another does no harm, and begins no key anew that the other has
 * written to its end.
 */
export function makeArchiveSteps({ connection, keys }: Ledger) {
  const putBack = makeLuaScript(connection, new URL('../lua/put-back.lua', import.meta.url));
  const change = makeArchiveChange({ connection, keys });
  const restore = async (of: 'rows' | 'keys', name: string, run: string, lines: readonly Buffer[]) => {
    return (await putBack(archivePlaces(keys, name), { of, run, lines })) === 1;
  };

  return {
    /** From now on nothing changes it, if it may be archived at all. Without a state it is only asked whether it may. */
    async begin(name: string, state?: ArchiveState): Promise<BegunArchive> {
      const begun = await change(name, 'archive', [state ? JSON.stringify(state) : '']);
      const [answer, text = ''] = begun as [string, string?];
      if (answer === 'begun') return text === '' ? { begun: true } : { begun: true, before: JSON.parse(text) };
      if (answer === 'is') return { is: JSON.parse(text) };
      return { why: answer as NotArchived['why'], rows: Number(text) };
    },

    /** It is like others again. Answers whether it is: not where its rows leave by now, or another archives it. */
    drop: async (name: string, id: string): Promise<boolean> => (await change(name, 'drop', [id])) === 1,

    /** Its files are there, read back and compared: it leaves. Answers whether it does: not where another archives it by now. */
    async leave(name: string, state: ArchiveState): Promise<boolean> {
      return (await change(name, 'leave', [state.id, JSON.stringify(state), state.sinceMs])) === 1;
    },

    /** Takes all its rows out, some at a time. Yields how many; nothing where it leaves no longer under this id, as the last. */
    async *takeOutRows(name: string, id: string): AsyncGenerator<number | undefined> {
      for (const state of ROW_STATES) {
        for (let taken = ROWS; taken === ROWS; ) {
          taken = Number(await change(name, 'takeRows', [id, state, ROWS]));
          if (taken > 0) yield taken;
          if (taken < 0) return yield undefined;
        }
      }
    },

    /** Takes keys out that its archive names so. Answers whether they left: not where it leaves no longer under this id. */
    async takeOutKeys(name: string, id: string, names: readonly string[]): Promise<boolean> {
      return Number(await change(name, 'takeKeys', [id, ...names])) >= 0;
    },

    /** All of it has left: it is archived. Answers whether it is. */
    async end(name: string, state: ArchiveState): Promise<boolean> {
      const stay = fieldsText(LEFT_OF_ARCHIVED);
      return (await change(name, 'archived', [state.id, JSON.stringify(state), state.sinceMs, stay])) === 1;
    },

    /** It comes back from now on, by this run and no other. Answers whether it does: not where it is not archived under this id. */
    async beginRestore(name: string, state: ArchiveState, run: string): Promise<boolean> {
      const restoring: ArchiveState = { ...state, is: 'restoring', sinceMs: Date.now() };
      return (await change(name, 'restore', [state.id, JSON.stringify(restoring), run])) === 1;
    },

    /** Puts the rows back that these lines are. Answers whether it did: not where it does not come back by this run. */
    putRows: (name: string, run: string, lines: readonly Buffer[]): Promise<boolean> =>
      restore('rows', name, run, lines),

    /** The same of lines of its other keys, less those of its hash. */
    putKeys: (name: string, run: string, lines: readonly Buffer[]): Promise<boolean> =>
      restore('keys', name, run, lines),

    /**
     * It is one of the account's portfolios again.
     *
     * @param back.lines those of its hash
     * @returns whether it is; `rows` where others are there than the archive has
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

/** A portfolio, and what the keys of approvals and of its rows begin with. */
export function archivePlaces(keys: Keys, name: string) {
  return { portfolio: keys.portfolio(name), approvals: keys.approval(''), row: keys.row(name, '') };
}

/** Takes a step of change-archive.lua, which says what each takes and answers. */
export function makeArchiveChange({ connection, keys }: Ledger) {
  const change = makeLuaScript(connection, new URL('../lua/change-archive.lua', import.meta.url));
  return (name: string, step: ArchiveStepName, told: readonly (string | number | Buffer)[]): Promise<unknown> => {
    const { portfolios, archives } = keys;
    const places = { ...archivePlaces(keys, name), portfolios, archives, imports: keys.imports(name) };
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

/** Names of fields as change-archive.lua reads them. */
export function fieldsText(fields: readonly string[]): string {
  return ` ${fields.join(' ')} `;
}
