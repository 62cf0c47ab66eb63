import { expect, test } from 'vitest';
import { readMapArgs } from '../../src/portfolio/columns/mapping.ts';

test.each(['company:number', 'company:text', 'buyer limit', 'buyer-limit', 'Company Address', 'company_address'])(
  'a column cannot be mapped to the group %s, however it is written',
  async (name) => {
    await expect(readMapArgs([`Theirs=${name}`])).rejects.toThrow('holds several fields');
  },
);
