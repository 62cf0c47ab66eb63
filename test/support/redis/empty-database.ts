import { Redis } from 'ioredis';
import { inject } from 'vitest';
import { redisPlace } from './own-database.ts';

// test/support/quick-product.ts connects to this socket instead of a port.
process.env.QUICK_REDIS_PORT = new URL(inject('redisUrl')).port;
process.env.QUICK_REDIS_SOCKET = inject('redisSocket');

// The database is emptied before each test file. No test sees keys of another file, and code that walks all keys is
// fast.
const connection = new Redis(redisPlace());
await connection.flushdb('ASYNC');
connection.disconnect();
