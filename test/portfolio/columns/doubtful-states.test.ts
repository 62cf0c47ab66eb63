import { describe, expect, test } from 'vitest';
import type { HeaderMeaning } from '../../../src/portfolio/columns/mapping.ts';
import { read } from '../../support/workbooks.ts';

async function told(content: string, columns: Record<string, HeaderMeaning> = {}) {
  const { problems, lines } = await read(content, { mapping: { columns, constants: {} } });
  return {
    problems: problems.map(({ message }) => message),
    states: lines.map((line) => 'row' in line && line.row.company.address.state),
  };
}

describe('a column State', () => {
  // Promise: state-of-an-account-is-asked
  test('that says whether accounts are open is a problem of the file, which --map answers', async () => {
    const content = 'name,State,limit\nZobel AG,Active,1\nWeber KG,,2\nHuber KG,On hold,3\n';
    expect((await told(content)).problems).toEqual([
      'The cells of this column, such as Active, say whether an account is open, and name no region of the buyer. If that is so, say --map "State=". If it is the region, say --map "State=state".',
    ]);
    expect(await told(content, { State: null })).toEqual({ problems: [], states: [null, null, null] });
    expect(await told(content, { State: 'state' })).toEqual({ problems: [], states: ['Active', null, 'On hold'] });
  });

  test('with regions is read', async () => {
    const { problems, states } = await told(
      'name,State,limit\nZobel AG,NY,1\nWeber KG,New Jersey,2\nHuber KG,open,3\n',
    );
    expect(problems).toEqual([]);
    expect(states).toEqual(['NY', 'New Jersey', 'open']);
  });
});
