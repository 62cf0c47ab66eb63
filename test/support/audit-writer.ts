/**
 * A process that writes to an audit trail until it is killed, and prints the number of each round once its entries are
 * stored. Run by tests.
 * Arguments: the address of Redis, the prefix, the folder of the last link, the key in hex, the name of the process.
 */
import { writeSync } from 'node:fs';
import { Redis } from 'ioredis';
import { makeAuditTrail } from '../../src/audit/audit-trail.ts';
import { makeSharedKeys } from '../../src/ledger/schema/keys.ts';
import { makeSilentLog } from '../../src/log.ts';

const [url = '', prefix = '', dir = '', key = '', by = ''] = process.argv.slice(2);
const trail = makeAuditTrail({
  connection: new Redis(url),
  keys: makeSharedKeys(prefix),
  key: async () => Buffer.from(key, 'hex'),
  dir,
  account: 'stand-in',
  log: makeSilentLog(),
});

for (let number = 1; ; number += 1) {
  // Three at a time, so that some entries wait for others.
  await Promise.all([1, 2, 3].map((place) => trail.note({ by, what: 'x', from: 'here', about: `${number}.${place}` })));
  writeSync(1, `${number}\n`);
}
