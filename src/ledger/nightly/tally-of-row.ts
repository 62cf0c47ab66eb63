import { amountText, shareOf } from './amount-limbs.ts';
import type { StoredRow } from './stored-row.ts';

/**
 * What a row adds to its portfolio's sums, as row-tally.lua writes it, less the side: computed from the row's words and answer, to be
 * compared with its own field `tally`.
 */
export function tallyOfRow({ field, result }: Pick<StoredRow, 'field' | 'result'>): string {
  const state = field('state');
  const bucket = field('replaced') !== '' && state === 'cancelled' ? 'replaced' : state;
  const asked: unknown = result.request.limit?.requested_limit;
  const requested = amountText(asked ?? '?');
  const short = `${bucket}|${requested}`;
  if (state === 'done' || state === 'skipped') {
    const record = result.record as Readonly<Record<string, unknown>>;
    const granted = amountText(record.total_limit);
    const available = state === 'skipped' ? '' : amountText(record.available_limit);
    return `${short}|${granted}|${available}|${shareOf(granted, requested)}||${statusOf(record.status)}`;
  }
  const cause = state === 'refused' || state === 'held' ? field('cause') : '';
  return cause === '' ? short : `${short}||||${cause}|`;
}

/** A word of more than 100 bytes is cut, never in the middle of a character. */
function statusOf(status: unknown): string {
  if (typeof status !== 'string') return '';
  const bytes = Buffer.from(status);
  if (bytes.length <= 100) return status;
  const cut = bytes.toString('latin1').slice(0, 100);
  return Buffer.from(cut.replace(/[\xc0-\xff][\x80-\xbf]*$/, ''), 'latin1').toString();
}
