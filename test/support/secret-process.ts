import { Redis } from 'ioredis';
import { makeSharedKeys } from '../../src/ledger/schema/keys.ts';
import { makeSecret } from '../../src/people/secret.ts';

/**
 * A process that needs the secret of the installation, and prints a derived key. Run by secret.test.ts. Arguments:
 * folder, prefix, Redis.
 */
const [, , dataDir = '', prefix = '', redisUrl = ''] = process.argv;
const connection = new Redis(redisUrl);
const keys = makeSharedKeys(prefix);
const secret = makeSecret({ given: undefined, dataDir, connection, keys, prefix, where: 'Redis' });
console.log((await secret.key('audit')).toString('hex'));
connection.disconnect();
