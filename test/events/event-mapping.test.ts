import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSettings } from '../../src/config.ts';
import { readEventMapping } from '../../src/events/event-mapping.ts';
import { MAPPING, mappingIn, writeMapping } from '../support/events.ts';
import { makeFolder } from '../support/workplace.ts';

test('a mapping gives the position of each part, the relevant kinds, and the optional parts', async () => {
  const dir = await makeFolder();
  const lists = {
    buyer_limit_id: '/events/*/data/*/id',
    status: '/events/*/data/*/state~1now',
    kind: '/events/*/type',
    kinds: ['a', 'b'],
    optional: ['decided_at'],
  };
  expect(mappingIn(writeMapping(dir, lists))).toEqual({
    at: {
      buyer_limit_id: ['events', '*', 'data', '*', 'id'],
      status: ['events', '*', 'data', '*', 'state/now'],
      kind: ['events', '*', 'type'],
    },
    kinds: ['a', 'b'],
    optional: ['decided_at'],
  });
  const least = { buyer_limit_id: '/id', status: '/status' };
  expect(mappingIn(writeMapping(dir, least))).toMatchObject({ kinds: [] });
  // Some editors begin a file with a byte order mark.
  expect(mappingIn(writeMapping(dir, `\ufeff${JSON.stringify(least)}`))).toMatchObject({ kinds: [] });
});

test.each([
  ['{', ['the file is no JSON']],
  ['[]', [/^in it: .*object/]],
  [{}, [/^buyer_limit_id in it: /, /^status in it: /]],
  [{ ...MAPPING, status: 'data/status' }, [/^status in it: is no JSON pointer: it begins with \//]],
  [{ ...MAPPING, status: '#/data/status' }, [/^status in it: is no JSON pointer/]],
  [{ ...MAPPING, status: '' }, [/^status in it: is no JSON pointer/]],
  [{ ...MAPPING, total_limit: '/a~3' }, [/^total_limit in it: is no JSON pointer/]],
  [{ ...MAPPING, status: 7 }, [/^status in it: /]],
  [{ ...MAPPING, id: '/id' }, [/id/]],
  [{ ...MAPPING, kinds: [] }, ['kind in it: kinds is needed too, a list of the kinds that count']],
  [{ ...MAPPING, kind: undefined }, ['kinds in it: kind is needed too, which says where the kind stands']],
  [{ ...MAPPING, optional: ['status'] }, [/^optional 0 in it: /]],
  [{ ...MAPPING, status: '/data/*/status' }, [/^status in it: its \* stands for another list/]],
  [
    { ...MAPPING, buyer_limit_id: '/a/*/id', status: '/a/*/b/*/status', decided_at: '/c/*/at' },
    [/^status in it: its \*/, /^decided_at in it: its \*/],
  ],
])('the mapping %j is refused with its faults', async (content, faults) => {
  const read = readEventMapping(writeMapping(await makeFolder(), content));
  expect(read).toEqual({ faults: faults.map((one) => (typeof one === 'string' ? one : expect.stringMatching(one))) });
});

// Promise: wrong-mapping-ends-command
test('a missing or wrong mapping is reported with the other faults of the settings', async () => {
  const dir = await makeFolder();
  const given = (path: string) => () => readSettings({ env: { EVENTS_MAPPING: path, LIMITLINE_DATA: dir }, cwd: dir });
  expect(given(writeMapping(dir))().EVENTS_MAPPING).toBe(join(dir, 'events.json'));
  expect(given(join(dir, 'none.json'))).toThrow(
    /EVENTS_MAPPING is ".*none\.json", but the file cannot be read: ENOENT/,
  );
  expect(given(dir)).toThrow(/but the file cannot be read: EISDIR/);
  expect(given('events.json')).toThrow(/EVENTS_MAPPING is "events\.json", but must be a whole path/);
  expect(given(writeMapping(dir, 'no JSON'))).toThrow(/EVENTS_MAPPING is ".*events\.json", but the file is no JSON\.$/);
  expect(given(writeMapping(dir, { ...MAPPING, status: 'x' }))).toThrow(/but status in it: is no JSON pointer/);
});
