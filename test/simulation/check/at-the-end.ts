import type { Simulation } from '../run/simulation.ts';
import { kindOf, whatOf } from '../worlds/desk.ts';
import { NOTHING_MADE } from './promises.ts';
import { isAskedByNobody, type LedgerNow, readLedger, supplierOf } from './rows-now.ts';

/**
 * The least age of the last heartbeat of a killed import when another import replaces it
 * (src/ledger/portfolios/imports.ts).
 */
const SIGNS_MS = 5_000;

/**
 * The beginning of the problem of a row that was given up after an internal fault at every attempt
 * (jobs/steps/step.ts).
 */
const OUR_FAULT = 'Limitline itself failed';

const ENDED = new Set(['done', 'refused', 'skipped', 'cancelled']);

/**
 * Once everybody has finished: each row has ended, every made thing is known, and no call is claimed. @throws when that
 * is not so
 */
export async function checkEnd(
  simulation: Simulation,
  { resends, isWorkedOn }: { resends: boolean; isWorkedOn: boolean },
): Promise<void> {
  const now = await readLedger(simulation.redis);
  for (const { portfolio, key, state, problem } of now.rows) {
    if (!ENDED.has(state)) throw new Error(`the row is ${state} at the end: ${portfolio}/${key}`);
    if (problem.includes(OUR_FAULT)) throw new Error(`refused by no service: ${portfolio}/${key}, ${problem}`);
  }
  checkMade(now, simulation, resends);
  checkGivenUp(now, simulation);
  checkUnread(now, simulation);
  for (const { kind, key, fields } of now.calls) {
    // The claim of a dead process is only resolved when somebody wants the call next.
    if (fields.state === 'claimed' && isWorkedOn)
      throw new Error(`a call is claimed at the end: ${kind} ${key} by ${fields.owner}`);
    if (fields.state === 'unknown' && kind === 'limit')
      throw new Error(`nobody is asked what became of a limit: ${key}`);
  }
  const asked = now.approvals.find(isAskedByNobody(now));
  if (asked) throw new Error(`an approval of nothing is open at the end: ${asked.id} of ${asked.portfolio}`);
  const { queues } = simulation.board;
  for (const queue of queues()) {
    const [left] = queue.ids(['wait', 'active', 'delayed']);
    if (left !== undefined && isWorkedOn) throw new Error(`a job is left at the end: ${left} in ${queue.name}`);
  }
  for (const portfolio of now.portfolios) {
    const { name, fields } = portfolio;
    const supplier = supplierOf(portfolio);
    const isApproved = fields.supplierApproval === undefined;
    if (supplier && isApproved && isWorkedOn && supplier.id === undefined && supplier.problem === undefined)
      throw new Error(`the supplier is neither made nor told of: ${name}`);
    if (supplier?.id && !simulation.service.made.some(({ id, what }) => id === supplier.id && what === supplier.name))
      throw new Error(`the supplier is somebody else's company: ${name}`);
    const isCancelled = Number(fields.cancels ?? 0) > Number(fields.importGen ?? 0);
    if (isCancelled && (fields.importing ?? '') !== '')
      throw new Error(`cancelled, and taken for one whose import was interrupted: ${name}`);
    const isWhole = fields.importing === '' || fields.importing === undefined;
    if (isWhole && fields.finished === undefined && fields.archive === undefined) {
      throw new Error(`a portfolio is not finished at the end: ${name}`);
    }
  }
}

/** Each limit that the service made is known, and each done row has a limit that was made for it. */
function checkMade({ rows, calls }: LedgerNow, { service, says }: Simulation, resends: boolean): void {
  const known = new Set(calls.flatMap(({ fields: { id, again } }) => [id, again]));
  for (const { kind, id, what } of service.made) {
    // If a setting resends calls, the service may have made two of one thing, one of which the ledger knows.
    const isOther = resends && service.made.some((one) => one.what === what && known.has(one.id));
    const maySay = isOther || says.some((say) => say.is === 'resend' && say.what === what);
    if (kind === 'limit' && !known.has(id) && !maySay) throw new Error(`made, and nobody knows: ${id} of ${what}`);
  }
  for (const { portfolio, key, state, limit, what, contact, documents } of rows) {
    if (state !== 'done') continue;
    const made = service.made.find(({ id }) => id === limit);
    if (made?.what !== what) throw new Error(`done by a limit that is not its own: ${portfolio}/${key} has ${limit}`);
    if (JSON.stringify(made.body.contact) !== JSON.stringify(contact))
      throw new Error(`done, and asked for in other words than its own: ${portfolio}/${key}`);
    const nameOf = (document: string) =>
      service.made.find(({ kind, id }) => kind === 'document' && id === document)?.what;
    const attached = ((made.body.supporting_documents ?? []) as string[]).map(nameOf);
    if (attached.join() !== documents.join()) throw new Error(`asked for with other documents: ${portfolio}/${key}`);
    const company = service.made.find(({ id }) => id === made.body.company);
    const mail = `${company?.what.replaceAll(' ', '-')}@example.com`;
    if (!what.startsWith(`${mail} `)) throw new Error(`asked for with another's company: ${portfolio}/${key}`);
  }
}

/** A row is only given up after somebody said so, unless somebody approved it later or another line replaced it. */
function checkGivenUp({ rows, approvals }: LedgerNow, { says }: Simulation): void {
  const turnOf = ({ approval }: { approval?: string }, standing: string): number =>
    approvals.find(({ id, standing: now }) => id === approval && now === standing)?.turn ?? 0;
  for (const { portfolio, key, state, what, isReplaced } of rows) {
    const yeses = says.flatMap((say) =>
      say.is === 'yes' && say.rows?.includes(`${portfolio}/${key}`) ? turnOf(say, 'granted') : [],
    );
    const isSaid = says.some((say) => {
      if (say.is !== 'no' && say.is !== 'gives up') return false;
      if (say.approval === undefined) return say.whats.includes(portfolio) || say.whats.includes(what);
      return say.whats.includes(what) && turnOf(say, 'declined') > Math.max(0, ...yeses);
    });
    if (state === 'cancelled' && !isReplaced && !isSaid) throw new Error(`given up by nobody: ${portfolio}/${key}`);
  }
}

type Import = { number: number; by?: string; lastMs: number; found?: unknown };

/**
 * A file whose import was killed is reported as unread, until the portfolio is given up or another file is imported.
 */
function checkUnread({ portfolios }: LedgerNow, { process }: Simulation): void {
  for (const { name, fields, imports } of portfolios) {
    const isCancelled = Number(fields.cancels ?? 0) > Number(fields.importGen ?? 0);
    const all = Object.entries(imports).map(([content, text]) => ({ content, ...(JSON.parse(text) as Import) }));
    for (const { content, by, lastMs, found } of isCancelled ? [] : all) {
      const isKilled = found === undefined && process(by ?? '')?.standing === 'dead';
      const isFollowed = all.some((other) => other.lastMs > lastMs + SIGNS_MS);
      const isTold = (fields.importing ?? '').split(' ').includes(content);
      if (isKilled && !isFollowed && !isTold)
        throw new Error(`not read to its end, and nobody is told: a file of ${name} by ${by}`);
    }
  }
}

/**
 * A row is held exactly as long as the outcome of one of its calls is unknown. @throws when a row is held without that
 */
export async function checkHeld({ redis, service }: Simulation): Promise<void> {
  const { rows, calls } = await readLedger(redis);
  for (const row of rows) {
    const { portfolio, key, state, step, buyer } = row;
    // With several documents, each may be the one in doubt.
    if (state !== 'held' || (step === 'documents' && row.documents.length > 1)) continue;
    const kind = kindOf(row);
    const ofKind = calls.filter((one) => one.kind === kind);
    const name = { company: buyer, limit: key, document: ofKind.length === 1 ? ofKind[0]?.key : undefined }[kind];
    const known = ofKind.find((one) => one.key === name)?.fields.state;
    const asked = service.arrivals.filter((one) => one.kind === kind && whatOf(row).includes(one.what));
    // When a call was sent again, a late refusal of the first send is not believed, and a person is asked.
    const [only] = asked;
    if (asked.length === 1 && only?.isHeard && NOTHING_MADE.has(only.answer)) {
      throw new Error(`held, and its sender was told that nothing was made: ${portfolio}/${key}`);
    }
    if (known !== undefined && known !== 'unknown')
      throw new Error(`held, and its call is ${known}: ${portfolio}/${key}`);
  }
}
