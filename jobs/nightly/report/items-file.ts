import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { CHECKS, type FoundItem } from '../../../src/ledger/nightly/checks.ts';
import { plainTableLine } from '../../../src/table/table-line.ts';

/** The columns of the file of all items, in order. */
const COLUMNS: readonly [name: string, cell: (item: FoundItem) => string | number | undefined][] = [
  ['kind', ({ check }) => CHECKS[check].kind],
  ['check', ({ check }) => CHECKS[check].title],
  ['portfolio', ({ portfolio }) => portfolio],
  ['line', ({ line }) => line],
  ['row', ({ portfolio, key }) => (key === undefined ? undefined : `${portfolio}/${key}`)],
  ['name', ({ name }) => name],
  ['requested_limit', ({ requested }) => requested],
  ['total_limit', ({ granted }) => granted],
  ['finding', ({ says }) => says],
  ['detail', ({ detail }) => detail],
  ['since', ({ sinceMs }) => (sinceMs === undefined ? undefined : new Date(sinceMs).toISOString())],
  ['rows', ({ rows = 1 }) => rows],
  ['mended', ({ isMended }) => (isMended ? 'yes' : 'no')],
  ['command', ({ command }) => (command === undefined ? undefined : `npx limitline ${command}`)],
];

/** Without a byte order mark, Excel reads the file in its own code page and garbles names. */
const BYTE_ORDER_MARK = '\ufeff';

/** Lines are written in chunks of this size: one write per line would cost more than the line. */
const PIECE_CHARACTERS = 65_536;

/**
 * Begins a night's file of all items: CSV in UTF-8, safe for spreadsheets. A failed write stops no check and is reported at the
 * end.
 */
export function openItems(to: Writable) {
  let isBroken = false;
  const written = finished(to);
  const broken = written.catch(() => {
    isBroken = true;
  });
  let piece = BYTE_ORDER_MARK + plainTableLine(COLUMNS.map(([name]) => name));
  return {
    /** Adds an item. Answers a promise if the disk is slow. */
    add(item: FoundItem): void | Promise<void> {
      if (isBroken) return;
      piece += plainTableLine(COLUMNS.map(([, cell]) => cell(item) ?? ''));
      if (piece.length < PIECE_CHARACTERS) return;
      const isTaken = to.write(piece);
      piece = '';
      if (!isTaken) return Promise.race([once(to, 'drain').catch(() => {}), broken]).then(() => {});
    },
    /** @throws the error that stopped writing */
    async end(): Promise<void> {
      if (!isBroken) to.end(piece);
      await written;
    },
  };
}
