import type { Calls } from '../../../src/ledger/calls.ts';
import type { FoundItem, FoundSink } from '../../../src/ledger/nightly/checks.ts';
import { rowIdOf } from '../../../src/ledger/row-id.ts';
import type { RowLists } from '../../../src/ledger/row-lists.ts';
import { rowItem } from './row-item.ts';

type MadeTwiceDeps = { calls: Pick<Calls, 'madeTwice'>; rows: Pick<RowLists, 'read'>; sink: FoundSink };

/**
 * Tells of each thing that was made twice at the service, which only sending again after an unknown outcome can lead to. The service
 * shows no way to take one back: a person has to ask for it there.
 */
export async function findMadeTwice({ calls, rows, sink }: MadeTwiceDeps): Promise<void> {
  for (const { kind, id, again, row: name } of await calls.madeTwice()) {
    const row = rowIdOf(name);
    const [result] = row ? await rows.read([row]) : [];
    const says = `a ${kind} was made twice: ${id} and ${again}`;
    const bare: FoundItem = {
      check: 'made twice',
      // A supplier has no row, and stands under its portfolio's name.
      portfolio: name.split('/')[0] ?? '',
      says,
      detail: REMEDY,
      isMended: false,
    };
    await sink.found(row && result ? rowItem('made twice', { row, result }, says, { detail: REMEDY }) : bare);
  }
}

const REMEDY = 'ask the service to take one of them back';
