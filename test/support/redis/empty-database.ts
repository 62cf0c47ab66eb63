import { Redis } from 'ioredis';
import { redisPlace } from './own-database.ts';

const connection = new Redis(redisPlace());
await connection.flushdb('ASYNC');
connection.disconnect();
