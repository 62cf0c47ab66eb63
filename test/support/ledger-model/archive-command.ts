import { expect } from 'vitest';
import { nameInLine } from '../../../src/ledger/archive/archive-pages.ts';
import { type ArchiveState, archivedOf } from '../../../src/ledger/schema/archives.ts';
import { ROW_STATES } from '../../../src/ledger/schema/row.ts';
import { type Command, command } from './command.ts';
import { isOpen, type RealLedger } from './real-ledger.ts';
import type { Model } from './rules.ts';

/** The rows of a portfolio that keep it from being archived. */
function rowsThatKeep(model: Model, name: string): unknown[] {
  const rows = [...model.rows].filter(([row]) => row.startsWith(`${name}/`));
  return rows.filter(([, { state }]) => isOpen(state) || state === 'awaiting' || state === 'held');
}

/**
 * A portfolio is archived, refuses every change, and is restored unchanged. The lines stay in memory.
 *
 * @param ends commands that end the rows of the portfolio first, as far as possible
 */
export function archiveAndRestore(name: string, ends: readonly Command[]): Command {
  return command(`archiveAndRestore(${name}, ${ends.length})`, async (model, real) => {
    for (const end of ends) await end.run(model, real);
    const { leaving, pages, archives } = real.archiving;
    const { startedMs = 0, finishedMs = 0 } = await real.portfolios.read(name);
    const state: ArchiveState = { is: 'archiving', id: 'one', by: 'alice', sinceMs: 1, startedMs, finishedMs };
    const begun = await leaving.begin(name, state);
    if (!('begun' in begun)) {
      const other = 'why' in begun && ['importing', 'interrupted'].includes(begun.why);
      expect(other || rowsThatKeep(model, name).length > 0, `${name} is kept: ${JSON.stringify(begun)}`).toBe(true);
      return;
    }
    expect(rowsThatKeep(model, name)).toEqual([]);
    const [rows, rest] = [await linesOf(pages.rows(name)), await linesOf(pages.rest(name))];
    expect(await leaving.leave(name, { ...state, is: 'leaving' })).toBe(true);
    for await (const taken of leaving.takeOutRows(name, state.id)) expect(taken).toBeGreaterThan(0);
    expect(await leaving.takeOutKeys(name, state.id, [...new Set(rest.map(nameInLine))])).toBe(true);
    expect(await leaving.end(name, { ...state, is: 'archived' })).toBe(true);
    await expectAway(name, real);
    expect(await leaving.beginRestore(name, { ...state, is: 'archived' }, 'a run')).toBe(true);
    if (rows.length > 0) expect(await leaving.putRows(name, 'a run', rows)).toBe(true);
    const hash = rest.filter((line) => nameInLine(line) === 'portfolio');
    const others = rest.filter((line) => nameInLine(line) !== 'portfolio');
    if (others.length > 0) expect(await leaving.putKeys(name, 'a run', others)).toBe(true);
    expect(await leaving.endRestore(name, { run: 'a run', startedMs, rows: rows.length, lines: hash })).toBe(true);
    expect(await archives.list()).toEqual([]);
  });
}

/** Redis has no key of the portfolio, and gets none. */
async function expectAway(name: string, real: RealLedger): Promise<void> {
  const file = { id: 'i', fileName: 'f.csv', reading: '{}' };
  const fault = await real.portfolios.startImport(name, file).catch((error: unknown) => error);
  expect(archivedOf(fault)).toBe('archived');
  const sizes = await Promise.all(ROW_STATES.map((state) => real.index(name, state)));
  expect(sizes.flat()).toEqual([]);
}

async function linesOf(pages: AsyncIterable<{ text: Buffer }>): Promise<Buffer[]> {
  const texts: Buffer[] = [];
  for await (const { text } of pages) texts.push(text);
  const lines = Buffer.concat(texts).toString('latin1').split('\n').slice(0, -1);
  return lines.map((line) => Buffer.from(line, 'latin1'));
}
