import { Redis } from 'ioredis';
import { redisPlace } from './own-database.ts';

// Before each file of tests: no test of it looks at keys of another file, and what goes through all keys is soon through.
const connection = new Redis(redisPlace());
await connection.flushdb('ASYNC');
connection.disconnect();
