import type { RedisConnection } from '../../lua-script.ts';
import type { Keys } from '../schema/keys.ts';
import type { RowState } from '../schema/row.ts';
import type { RowId } from '../schema/schema.ts';

/** What the ledger knows of a row and its calls; '' for nothing. */
export type KnownRow = {
  state: RowState | '';
  /** What its line asked for, as JSON. */
  request: string;
  /** State of its limit call, and the digest of what was requested with it. */
  limit: string;
  asked: string;
  /** Whether a person declined that limit, so that it needs another person's yes. */
  isDeclined: boolean;
  /** State of the call for its buyer's company. */
  company: string;
};

export type Foresight = (rows: readonly { row: RowId; buyer: string }[]) => Promise<KnownRow[]>;

/** Finds what the ledger already knows of lines that are not imported; changes nothing. */
export function makeForesight({ connection, keys }: { connection: RedisConnection; keys: Keys }): Foresight {
  return async (rows) => {
    if (rows.length === 0) return [];
    const step = connection.pipeline();
    for (const { row, buyer } of rows) {
      step.hmget(keys.row(row.portfolio, row.key), 'state', 'request');
      step.hmget(keys.call('limit', row.key), 'state', 'asked', 'declined');
      step.hget(keys.call('company', buyer), 'state');
    }
    const answers = ((await step.exec()) ?? []).map(([error, answer]) => {
      if (error) throw error;
      return answer;
    });
    return rows.map((_row, place) => {
      const [row, limit, company] = answers.slice(3 * place) as [(string | null)[], (string | null)[], string | null];
      return {
        state: (row[0] ?? '') as RowState | '',
        request: row[1] ?? '',
        limit: limit[0] ?? '',
        asked: limit[1] ?? '',
        isDeclined: (limit[2] ?? null) !== null,
        company: company ?? '',
      };
    });
  };
}
