import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { rowlessWords } from '../../../src/ledger/counts/answer-words.ts';
import { makeRequest } from '../../support/ledger.ts';

const MODULE = new URL('../../../src/ledger/counts/answer-words.ts', import.meta.url).href;

function requestOf(name: string, city: string) {
  return makeRequest({
    name,
    company: { name, address: { city, state: null } },
    limit: { requested_limit: '0.01', company_registration_number: name },
  });
}

describe('rowlessWords removes what differs from row to row', () => {
  test.each([
    ['another case', 'Müller & Söhne', 'MÜLLER & SÖHNE is not known', '… is not known'],
    ['lowercase', 'ACME Holding', 'acme holding is not known', '… is not known'],
    ['capitals, with a sharp s', 'Groß KG', 'GROSS KG is not known', '… is not known'],
    ['another case, with a final sigma', 'ΟΔΟΣ ΑΕ', 'οδος αε is not known', '… is not known'],
    ['pattern characters', 'A+B (C) [d]', 'a+b (c) [D] is not known', '… is not known'],
    ['any case beside an error code', 'Acme', 'ERROR NO. 10234 for acme', 'ERROR NO. 10234 for …'],
  ])('removes a value in %s', (_form, name, text, words) => {
    expect(rowlessWords(text, requestOf(name, 'Köln'))).toBe(words);
  });

  // V8 sometimes skips the optimisation of a pattern; `(?i:…)` did not match then, and one cause became two.
  test('removes the same values if the engine does not optimise its patterns', async () => {
    const program = `const { rowlessWords } = await import(${JSON.stringify(MODULE)});
      process.stdout.write(rowlessWords('ERROR 10234 for ZQQZ', ${JSON.stringify(requestOf('ZqqZ', 'Zq&qZ'))}));`;
    const args = ['--no-regexp-optimization', '--input-type=module', '--eval', program];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(stdout).toBe('ERROR 10234 for …');
  });
});
