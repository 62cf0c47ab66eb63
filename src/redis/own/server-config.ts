import { SOCKET_NAME } from './socket-path.ts';

/**
 * What our own Redis is told, on its standard input. It stays valid for 6.2 to 8 and for Valkey: hence `ziplist`, the
 * older name that all of them know for what is a listpack now. A server that is too old must come up, to be told so.
 */
export const SERVER_CONFIG = [
  // Reached through the data folder alone, by the user whose it is. `port 0` is given on the command line.
  `unixsocket ${SOCKET_NAME}`,
  'unixsocketperm 700',
  // What was answered is on the disk: an answer that a power cut takes back is a call made twice.
  'appendonly yes',
  'appendfsync always',
  // A crash in the middle of a write leaves half a command at the end, which nobody was answered.
  'aof-load-truncated yes',
  // The append-only file says everything already; snapshots would be the same again, at odd moments.
  'save ""',
  // Full memory refuses writes, and never forgets rows.
  'maxmemory-policy noeviction',
  // A row is a hash of some twenty short fields, and a finished one keeps its answer of up to 1 kB. Packed in one block
  // that took 1.6 kB a row, and 3.1 kB as the table that the default of 64 bytes makes of it (10,000 rows, Redis 7.0).
  'hash-max-ziplist-value 1024',
  'hash-max-ziplist-entries 128',
  '',
].join('\n');
