import { expect, test } from 'vitest';
import { changedByHand } from '../../../jobs/approvals/understand-file.ts';
import { masked } from '../../../src/console/privacy/mask.ts';

const COLUMNS = [
  { written: 'requested_limit', known: 'requested_limit' },
  { written: 'contact_email', known: 'contact_email' },
  { written: 'Notes', known: undefined },
];
const cell = (line: number, column: string | null, before: string, after: string) => ({ line, column, before, after });
const version = (number: number, cells: ReturnType<typeof cell>[], more: object = {}) => ({
  number,
  sha256: `file ${number}`,
  cells,
  leftOut: [],
  ...more,
});

/** The manual changes in the given version of an upload, of which the first version is the upload itself. */
function changed(versions: ReturnType<typeof version>[], imported: number) {
  const known = { id: `file ${imported}`, made: { corrected: 1 } };
  const drafts = [
    { submitted: null, versions: [] },
    { submitted: { version: imported }, versions },
  ];
  return changedByHand(known as never, COLUMNS, drafts as never);
}

const short = (changes: ReturnType<typeof changed>) =>
  changes?.values.map(({ line, before, now }) => [line, before.column, before.cell, now.cell]);

// Promise: approver-sees-changed-values
test('a value changed twice is shown with its first and last text, and one changed back is left out', () => {
  const versions = [
    version(1, []),
    version(2, [cell(3, 'requested_limit', '10', '100'), cell(2, 'Notes', 'a', 'b')]),
    version(3, [cell(3, 'requested_limit', '100', '1000'), cell(2, 'Notes', 'b', 'a'), cell(4, null, 'x,"', 'x')]),
    version(4, [], { backTo: 2 }),
    version(5, [cell(5, 'Notes', 'c', ''), cell(6, 'Notes', 'd', 'e')], { leftOut: [5] }),
  ];
  expect(short(changed(versions, 3))).toEqual([
    [3, 'requested_limit', '10', '1000'],
    [4, null, 'x,"', 'x'],
  ]);
  const last = changed(versions, 5);
  expect(short(last)).toEqual([
    [2, 'Notes', 'a', 'b'],
    [3, 'requested_limit', '10', '100'],
    [6, 'Notes', 'd', 'e'],
  ]);
  expect(last?.leftOut).toEqual([5]);
});

test('an import without its upload shows no changes, and personal data is masked for viewers', () => {
  expect(changedByHand({ id: 'another', made: { corrected: 1 } } as never, COLUMNS, [])).toBeUndefined();
  const cells = [cell(2, 'contact_email', 'kim@old.example', 'kim@new.example'), cell(2, 'Notes', 'secret', 'private')];
  const seen = masked(changed([version(1, []), version(2, [...cells, cell(3, 'requested_limit', '1', '2')])], 2));
  expect(JSON.stringify(seen)).not.toMatch(/kim|secret|private/);
  expect(short(seen)?.at(-1)).toEqual([3, 'requested_limit', '1', '2']);
});
