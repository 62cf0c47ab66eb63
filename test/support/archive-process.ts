import { join } from 'node:path';
import { Redis } from 'ioredis';
import { archivePortfolio } from '../../jobs/archive/archive-portfolio.ts';
import { makeDocumentStore } from '../../src/documents/store.ts';
import { makeMeaningStore } from '../../src/ledger/counts/meaning-store.ts';
import { makePortfolios } from '../../src/ledger/portfolios/portfolios.ts';
import { makeRows } from '../../src/ledger/rows/rows.ts';
import { makeKeys } from '../../src/ledger/schema/keys.ts';
import { makeRetryUntilAnswered } from '../../src/ledger/schema/until-answered.ts';
import { makeSilentLog } from '../../src/log.ts';

/**
 * A process that archives a portfolio and kills itself with SIGKILL when so many rows have left Redis.
 * Arguments: the address of Redis, the prefix of the account's keys, the account, the data folder, the portfolio, rows.
 */
const [url = '', prefix = '', account = '', dataDir = '', name = '', rows] = process.argv.slice(2);
const connection = new Redis(url);
const keys = makeKeys(prefix, account);
const retryUntilAnswered = makeRetryUntilAnswered({ log: makeSilentLog(), signal: new AbortController().signal });
const deps = {
  account,
  ledger: connection,
  keys,
  processId: 'killed',
  portfolios: makePortfolios({ connection, keys }),
  rows: makeRows({ connection, keys, retryUntilAnswered, canaryRefusals: 0 }),
  statusMeanings: makeMeaningStore({ connection, keys, given: new Map() }),
  imports: makeDocumentStore({ dir: join(dataDir, 'imports') }),
  settings: { LIMITLINE_DATA: dataDir },
};
await archivePortfolio(deps, name, {
  by: 'me',
  signal: new AbortController().signal,
  onProgress({ step, rows: left }) {
    if (step === 'taking rows out' && left >= Number(rows)) process.kill(process.pid, 'SIGKILL');
  },
});
