import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { CHECKS, type FoundItem } from '../../../src/ledger/nightly/checks.ts';
import { plainTableLine } from '../../../src/table/table-line.ts';

/** What stands in the file of all items, in the order of its columns. */
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

/** Excel takes a file without a byte order mark for its own code page, and names for others. */
const BYTE_ORDER_MARK = '\ufeff';

/** Lines are handed on in pieces of this size: a write each would cost more than the line. */
const PIECE_CHARACTERS = 65_536;

/**
 * Begins the file of all items of a night: CSV in UTF-8, safe to be opened in a spreadsheet. A file that cannot be written is
 * told of at the end, and stops no check.
 */
export function openItems(to: Writable) {
  let isBroken = false;
  const written = finished(to);
  const broken = written.catch(() => {
    isBroken = true;
  });
  let piece = BYTE_ORDER_MARK + plainTableLine(COLUMNS.map(([name]) => name));
  return {
    /** Takes in an item; answers a promise where the disk is behind. */
    add(item: FoundItem): void | Promise<void> {
      if (isBroken) return;
      piece += plainTableLine(COLUMNS.map(([, cell]) => cell(item) ?? ''));
      if (piece.length < PIECE_CHARACTERS) return;
      const isTaken = to.write(piece);
      piece = '';
      if (!isTaken) return Promise.race([once(to, 'drain').catch(() => {}), broken]).then(() => {});
    },
    /** @throws what kept it from being written */
    async end(): Promise<void> {
      if (!isBroken) to.end(piece);
      await written;
    },
  };
}
