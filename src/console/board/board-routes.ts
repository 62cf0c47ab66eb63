/** `get /api/queues`: how the board's own list writes a route. */
type Route = `${'get' | 'put' | 'post' | 'patch'} /api/${string}`;

const ELSEWHERE = 'Do this on the page Queues, where it is planned and confirmed.';
const NOT_HERE = 'Jobs only drive; the ledger has the rows. Nothing is added, changed or removed behind its back.';

/**
 * What the board may do: `true`, or why it may not, for whoever asks. Whatever is not in this table is denied as well, so a
 * route that comes with an update of the board stays shut until somebody has decided, and a test says that it is there.
 */
const ROUTES: Readonly<Record<Route, true | string>> = {
  'get /api/queues': true,
  'get /api/queues/:queueName/:jobId': true,
  'get /api/queues/:queueName/:jobId/logs': true,
  'get /api/queues/:queueName/:jobId/flow': true,
  'get /api/queues/:queueName/metrics': true,
  'get /api/queues/:queueName/default-job-options': true,
  'get /api/queues/:queueName/rate-limit': true,
  'get /api/queues/:queueName/job-data-schema': true,
  'get /api/job-schedulers': true,
  'put /api/queues/:queueName/:jobId/retry': true,

  'get /api/redis/stats': 'Redis has its place on the page Health.',
  'get /api/queues/:queueName/workers':
    'Workers are counted at the top of each page; to list them would ask Redis for all of its clients.',

  'put /api/queues/pause': ELSEWHERE,
  'put /api/queues/resume': ELSEWHERE,
  'put /api/queues/:queueName/pause': ELSEWHERE,
  'put /api/queues/:queueName/resume': ELSEWHERE,
  'put /api/queues/:queueName/retry/:queueStatus': ELSEWHERE,

  'post /api/queues/:queueName/add': NOT_HERE,
  'put /api/queues/:queueName/promote': NOT_HERE,
  'put /api/queues/:queueName/clean/:queueStatus': NOT_HERE,
  'put /api/queues/:queueName/concurrency': NOT_HERE,
  'put /api/queues/:queueName/rate-limit': NOT_HERE,
  'put /api/queues/:queueName/rate-limit/release': NOT_HERE,
  'put /api/queues/:queueName/empty': NOT_HERE,
  'put /api/queues/:queueName/obliterate': NOT_HERE,
  'put /api/queues/:queueName/job-schedulers/:schedulerId/remove': NOT_HERE,
  'patch /api/queues/:queueName/job-schedulers/:schedulerId': NOT_HERE,
  'put /api/queues/:queueName/job-schedulers/:schedulerId/run': NOT_HERE,
  'put /api/queues/:queueName/:jobId/clean': NOT_HERE,
  'put /api/queues/:queueName/:jobId/promote': NOT_HERE,
  'patch /api/queues/:queueName/:jobId/update-data': NOT_HERE,
  'patch /api/queues/:queueName/:jobId/delay': NOT_HERE,
  'patch /api/queues/:queueName/:jobId/priority': NOT_HERE,
  'put /api/queues/:queueName/:jobId/remove-unprocessed-children': NOT_HERE,
};

const DECIDED: ReadonlyMap<string, true | string> = new Map(Object.entries(ROUTES));

/** The routes that somebody has decided about. */
export const DECIDED_ROUTES: readonly string[] = [...DECIDED.keys()];

/** Whether a route of the board may be used: `true`, or why not. What nobody has decided about may not. */
export function mayOnBoard(method: string, route: string): true | string {
  const name = `${method.toLowerCase()} ${route}`;
  return DECIDED.get(name) ?? 'Nobody has decided yet whether this may be done here.';
}
