import type { Simulation } from '../run/simulation.ts';
import { type LedgerNow, readLedger } from './rows-now.ts';

const ENDED = new Set(['done', 'refused', 'skipped', 'cancelled']);

/** Once everybody has finished: each row is at its end, what was made is known, and nothing is kept by anybody. @throws where that is not so */
export async function checkEnd(
  simulation: Simulation,
  { resends, isWorkedOn }: { resends: boolean; isWorkedOn: boolean },
): Promise<void> {
  const now = await readLedger(simulation.redis);
  for (const { portfolio, key, state } of now.rows) {
    if (!ENDED.has(state)) throw new Error(`the row is ${state} at the end: ${portfolio}/${key}`);
  }
  checkMade(now, simulation, resends);
  for (const { kind, key, fields } of now.calls) {
    if (fields.state === 'claimed') throw new Error(`a call is claimed at the end: ${kind} ${key} by ${fields.owner}`);
  }
  const { queues } = simulation.board;
  for (const queue of queues()) {
    const [left] = queue.ids(['wait', 'active', 'delayed']);
    if (left !== undefined && isWorkedOn) throw new Error(`a job is left at the end: ${left} in ${queue.name}`);
  }
  for (const { name, fields } of now.portfolios) {
    const isWhole = fields.importing === '' || fields.importing === undefined;
    if (isWhole && fields.finished === undefined && fields.archive === undefined) {
      throw new Error(`a portfolio is not finished at the end: ${name}`);
    }
  }
}

/** Each limit that the service made is known, and each row that is done has one that was made for it. */
function checkMade({ rows, calls }: LedgerNow, { service, says }: Simulation, resends: boolean): void {
  const known = new Set(calls.flatMap(({ fields: { id, again } }) => [id, again]));
  for (const { kind, id, what } of service.made) {
    const maySay = resends || says.some((say) => say.is === 'resend' && say.what === what);
    if (kind === 'limit' && !known.has(id) && !maySay) throw new Error(`made, and nobody knows: ${id} of ${what}`);
  }
  for (const { portfolio, key, state, limit, what } of rows) {
    if (state !== 'done') continue;
    const made = service.made.find(({ id }) => id === limit);
    if (made?.what !== what) throw new Error(`done by a limit that is not its own: ${portfolio}/${key} has ${limit}`);
    const company = service.made.find(({ id }) => id === made.body.company);
    const mail = `${company?.what.replaceAll(' ', '-')}@example.com`;
    if (!what.startsWith(`${mail} `)) throw new Error(`asked for with another's company: ${portfolio}/${key}`);
  }
}
