import { Redis } from 'ioredis';
import { inject } from 'vitest';
import { redisPlace } from './own-database.ts';

// What test/support/quick-product.ts connects to in place of a port.
process.env.QUICK_REDIS_PORT = new URL(inject('redisUrl')).port;
process.env.QUICK_REDIS_SOCKET = inject('redisSocket');

// Before each file of tests: no test of it looks at keys of another file, and what goes through all keys is soon through.
const connection = new Redis(redisPlace());
await connection.flushdb('ASYNC');
connection.disconnect();
