import { createHash } from 'node:crypto';
import type { RedisConnection } from '../../lua-script.ts';
import type { Keys } from '../schema/keys.ts';
import type { RowId } from '../schema/row-id.ts';
import { indexWords } from '../search/index-words.ts';

/** Of each row the digest of its request (SHA-1), and the words that it is searched by; '' and '' of one that there is not. */
export type RowWords = (rows: readonly RowId[]) => Promise<[digest: string, words: string][]>;

/** Reads them in one trip. */
export function makeRowWords({ connection, keys }: { connection: RedisConnection; keys: Keys }): RowWords {
  return async (rows) => {
    const step = connection.pipeline();
    for (const { portfolio, key } of rows) step.hget(keys.row(portfolio, key), 'request');
    const answers = (await step.exec()) ?? [];
    return rows.map((_row, at) => {
      const [error, request] = answers[at] ?? [];
      if (error) throw error;
      if (typeof request !== 'string') return ['', ''];
      return [createHash('sha1').update(request).digest('hex'), indexWords(JSON.parse(request))];
    });
  };
}
