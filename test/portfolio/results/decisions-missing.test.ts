import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readDecisionsFile } from '../../../src/portfolio/results/decisions-file.ts';
import { makeFolder } from '../../support/workplace.ts';

// Promise: database-null-decides-nothing
test.each(['\\N', 'NULL', '(null)'])(
  '%s, as databases write a missing value, is an empty cell of a decision',
  async (word) => {
    const path = join(await makeFolder(), 'later.csv');
    const lines = [
      'buyer_limit_id,row,status,total_limit,available_limit,decided_at',
      'bl_1,-,-,-,-,-',
      'bl_2,-,declined,-,-,-',
    ];
    await writeFile(path, `${lines.join('\n').replaceAll('-', word)}\n`);
    expect(await readDecisionsFile(path)).toMatchObject({
      decisions: [{ id: 'bl_2', row: '', status: 'declined', total: '', available: '', decided: undefined }],
      silent: 1,
      problems: [],
    });
  },
);
