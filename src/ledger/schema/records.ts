import { type Field, ROW } from './schema.ts';

/**
 * A field as docs/redis.md lists it. `<name>` in its name stands for each of several: `calls:<kind>` for `calls:company`. Archiving or
 * forgetting a portfolio deletes its fields unless `stays` says otherwise. Forgetting also deletes the `personal` fields of its calls.
 */
type Listed = Pick<Field, 'is' | 'says' | 'personal'> & { stays?: 'archived' | 'forgotten' };
type Listing = { key: string; says: string; fields: Readonly<Record<string, Listed>> };

/** The call that makes a thing; each thing has one. A request's approvals and refusals are kept with the call for its limit. */
const CALL = {
  state: { is: 'text', says: '"claimed", "unknown", "made", or "free" (the call may be sent)' },
  row: { is: 'text', says: '"<portfolio>/<key>" of the row for which the call was claimed last' },
  owner: { is: 'text', says: '"<process>/<n>": who has the claim' },
  first: { is: 'text', says: 'the owner of the first send of this content; the idempotency key is made of it' },
  header: { is: 'text', says: 'the idempotency header in which the key was sent, in lower case; missing if in none' },
  words: { is: 'text', says: 'digest of what is sent' },
  asked: { is: 'text', says: 'digest of what the line asked for' },
  at: {
    is: 'text',
    says: '"<ms>": when the call was claimed; "<ms>+<ms>" once the thing is made: when, and how long the answer took',
  },
  sends: { is: 'number', says: 'how often the call was sent' },
  supplier: {
    is: 'text',
    says: 'of a limit: id of the company that was the portfolio’s supplier when the limit was sent last',
  },
  id: { is: 'text', says: 'id of what was made' },
  record: { is: 'json', says: 'what else the service said, in its answer or later', personal: true },
  answered: { is: 'json', says: 'what the service had said before its first decision', personal: true },
  decided: {
    is: 'json',
    says: 'the last 50 decisions about the limit, each with who brought it and with which file or event',
    personal: true,
  },
  by: { is: 'text', says: '"a person", if a person said what was made' },
  word: { is: 'text', says: 'name of the last answer that a person gave for the call, so that the answer counts once' },
  again: { is: 'text', says: 'id of what was made a second time' },
  wanted: {
    is: 'number',
    says: 'of a hosted session that somebody wants: how often the row’s portfolio had been given up',
  },
  wished: { is: 'ms', says: 'when somebody asked for that session' },
  despite: { is: 'text', says: 'that the session is wanted although its limit was declined' },
  dropped: { is: 'text', says: 'why the session was given up before it was sent' },
  unauthorized: { is: 'number', says: 'how often the service answered that session with 401' },
  wisher: { is: 'text', says: 'who asked for that session', personal: true },
  open: { is: 'number', says: 'how many sends are in doubt' },
  doubts: { is: 'number', says: 'how many sends were in doubt since the outcome was last clear' },
  doubtAt: { is: 'ms', says: 'since when the call is in doubt' },
  againAt: { is: 'ms', says: 'when a setting may have the call sent again' },
  heard: { is: 'text', says: 'what was heard of the last lost send', personal: true },
  lostAt: { is: 'ms', says: 'when the last lost send left' },
  notedAt: { is: 'ms', says: 'when the loss of that send was written down' },
  shared: { is: 'text', says: 'of a limit: the first other rows whose limits were answered with the same id' },
  others: { is: 'text', says: 'the id in an answer to somebody else’s request' },
  late: { is: 'text', says: 'the owner of a send in doubt whose call was free by then' },
  answers: { is: 'text', says: 'approvals of what people said of the call while it is in doubt' },
  asks: { is: 'text', says: 'approvals that the request waits for, one in each portfolio' },
  declined: { is: 'text', says: 'the approval by which a person said no to the request, until another says yes' },
  yes: { is: 'number', says: 'field `turn` of the approval by which a person last said yes to the request' },
} as const satisfies Listing['fields'];

const PORTFOLIO = {
  started: { is: 'ms', says: 'when the first import began', stays: 'forgotten' },
  finished: { is: 'ms', says: 'when no row or import was open any more', stays: 'forgotten' },
  paused: { is: 'text', says: 'why nothing of the portfolio is sent' },
  pausedAt: { is: 'ms', says: 'when the portfolio was last paused' },
  firstOver: {
    is: 'text',
    says: 'the reason that the portfolio gave when it paused itself after the first rows (`first`)',
  },
  first: { is: 'number', says: 'how many rows go first' },
  cancels: { is: 'number', says: 'how often the portfolio was given up' },
  cancelledBy: { is: 'text', says: 'when the portfolio was last given up, in ms, and by whom', personal: true },
  rowsGivenUp: { is: 'ms', says: 'when the portfolio was last given up with rows that were not sent' },
  owner: {
    is: 'text',
    says: 'the only person who imported into the portfolio; "" once others did',
    personal: true,
    stays: 'archived',
  },
  supplier: {
    is: 'json',
    says: 'the supplier, for whom the limits are asked for: `body` and `key` of its company’s call; then the company’s `id`, or the `problem`',
    personal: true,
  },
  supplierApproval: { is: 'text', says: 'the approval that the supplier waits for' },
  supplierBefore: {
    is: 'json',
    says: 'the supplier that counts while a later supplier waits for an approval, or after the later one was declined',
    personal: true,
  },
  archive: {
    is: 'json',
    says: 'state of the archive, if the portfolio was archived or is being archived',
    stays: 'forgotten',
  },
  content: { is: 'text', says: 'digest of the file of the last import, and how it is read' },
  importing: { is: 'text', says: 'contents of files that were not read to their end' },
  importNumber: { is: 'number', says: 'number of the last import' },
  importId: { is: 'text', says: 'digest of the last import’s file' },
  importGen: { is: 'number', says: 'how often the portfolio had been cancelled when that import began' },
  fileName: { is: 'text', says: 'name of the last import’s file', personal: true },
  reading: { is: 'json', says: 'how that file is read' },
  by: { is: 'text', says: 'who imported that file', personal: true },
  begun: { is: 'number', says: 'how many imports began' },
  'begun:<import>': { is: 'number', says: 'the number of this import among them' },
  'added:<import>': { is: 'number', says: 'rows that this import added' },
  'approving:<content>': { is: 'text', says: 'the approval that the rows of this file join' },
  currencies: { is: 'json', says: 'the currencies that the portfolio’s files name; "" for files that name none' },
  counted: { is: 'number', says: '1: the counts hold since the portfolio began' },
  tallied: { is: 'text', says: '3: the rows of an older ledger are in the sums' },
  side: { is: 'text', says: '"b" where the sums are on that side; else on "a"' },
  'calls:<kind>': {
    is: 'number',
    says: 'calls sent for the portfolio’s rows; of `token`: calls for a token; of `throttled`: answers that demanded to slow down',
  },
  'made:<kind>': { is: 'number', says: 'things made for the portfolio’s rows' },
  'resent:<kind>': { is: 'number', says: 'repeated sends of calls that were in doubt' },
  again: { is: 'number', says: 'things that were made twice for the portfolio’s rows' },
  reopened: { is: 'number', says: 'rows that had ended and were sent again' },
  'canary:<step>': {
    is: 'text',
    says: '"<status>:<n>": so many first answers were all refused with this status; "ok" once one was not',
  },
  others: { is: 'number', says: 'answers in a row that belonged to another request' },
  told: {
    is: 'text',
    says: '"<finished> <process>": which end of the portfolio was handled last, and by which process',
  },
} as const satisfies Listing['fields'];

const APPROVAL = {
  portfolio: { is: 'text', says: 'name of the portfolio' },
  kind: { is: 'text', says: '"import", "retry" or "answer"' },
  standing: { is: 'text', says: '"open", "waiting", "granted", "declined" or "void"' },
  asked: { is: 'ms', says: 'when somebody began to ask' },
  'author:<who>': { is: 'text', says: 'who asked, and may not answer', personal: true },
  content: { is: 'text', says: 'digest of the file and how it is read' },
  fileName: { is: 'text', says: 'name of the file', personal: true },
  sha256: { is: 'text', says: 'digest of the file' },
  reading: { is: 'json', says: 'how the file is read' },
  importId: { is: 'text', says: 'number of the import' },
  supplier: { is: 'text', says: 'key of the supplier that is approved with the rows' },
  named: { is: 'json', says: 'the supplier as an import named it', personal: true },
  supplierMs: { is: 'ms', says: 'when the supplier’s call was seen to be in doubt' },
  moves: { is: 'number', says: 'how often the approval changed' },
  rows: { is: 'number', says: 'rows that wait' },
  ofRows: { is: 'number', says: 'how many rows waited when the approval was answered' },
  atFirst: { is: 'number', says: 'how many rows waited at first' },
  'sum:<as>:<k>': {
    is: 'number',
    says: 'sums of the rows now (`rows`), when answered (`asked`) and at first (`first`), and the sum above a limit (`over`); in units of 10^(10k - 2)',
  },
  unreadable: { is: 'number', says: 'amounts that could not be read' },
  over: { is: 'text', says: 'what had a sum above a limit: "portfolio", "rows", "buyer", "alike" or "person"' },
  overOf: { is: 'text', says: 'name of the portfolio, buyer or person whose sum was above the limit', personal: true },
  limit: { is: 'text', says: 'the limit that the sum was above' },
  because: {
    is: 'text',
    says: 'why it waits, where no sum and no refusal is the reason: "always", "unapproved" or "left"',
  },
  redone: {
    is: 'text',
    says: '"by <name>: <words>": who declined some of these requests before, and why',
    personal: true,
  },
  no: { is: 'text', says: 'id of the approval by which those requests were declined' },
  noes: {
    is: 'number',
    says: 'the account’s count of declined approvals when they were last searched for the same requests',
  },
  ticket: { is: 'number', says: 'order number among the approvals that were closed and counted each other' },
  counted: { is: 'number', says: '1: its sum counts as passed without approval by the people who imported it' },
  turn: { is: 'number', says: 'number of the answer among all answers of the account' },
  answer: { is: 'text', says: 'name of the answer, so that the answer counts once' },
  answeredBy: { is: 'text', says: 'who answered; "" where nobody had to', personal: true },
  answeredAt: { is: 'ms', says: 'when the approval was answered' },
  words: { is: 'text', says: 'the words of the answer', personal: true },
} as const satisfies Listing['fields'];

const ACCOUNT = {
  'made:<kind>': { is: 'number', says: 'things made' },
  'refused:<kind>': { is: 'number', says: 'calls refused' },
  'notices:<outcome>': { is: 'number', says: 'notices, by what became of them' },
  'approve:<what>': {
    is: 'text',
    says: 'which sums need approval here, by the settings of the process that wrote last',
  },
  answers: { is: 'number', says: 'answers to approvals' },
  noes: { is: 'number', says: 'approvals that were declined' },
  tickets: { is: 'number', says: 'approvals that were closed and counted others' },
  sessionsListed: {
    is: 'text',
    says: '"1" once the list of failed hosted sessions has those of versions that kept no such list',
  },
  'meaning:<status>': {
    is: 'text',
    says: 'what people say that this status means: "approved", "review" or "declined"',
  },
  'meantBy:<status>': { is: 'text', says: 'who said so last' },
  decided: { is: 'number', says: 'how often a decision changed what a row says' },
  reconciled: { is: 'text', says: 'when the nightly check ended last, in ms, and with how many findings' },
} as const satisfies Listing['fields'];

/** The records of the ledger. Each is a hash in Redis. */
export const RECORDS: readonly Listing[] = [
  { key: 'row:<portfolio>:<key>', says: 'A row of a portfolio.', fields: ROW },
  {
    key: 'call:<kind>:<key>',
    says: 'The one call that makes a company, a document or a limit; or a hosted session, whose key is a digest of the limit’s id and a number.',
    fields: CALL,
  },
  { key: 'portfolio:<name>', says: 'A portfolio.', fields: PORTFOLIO },
  { key: 'approval:<id>', says: 'What another person is asked to approve.', fields: APPROVAL },
  { key: 'account', says: 'What is counted of an account.', fields: ACCOUNT },
];

/** Fields that stay in the hash of an archived portfolio, and of a forgotten one. */
export const LEFT_OF_ARCHIVED = namesThat(PORTFOLIO, ({ stays }) => stays !== undefined);
export const LEFT_OF_FORGOTTEN = namesThat(PORTFOLIO, ({ stays }) => stays === 'forgotten');

/** Fields that forgetting a portfolio deletes from its calls; `record` is masked instead. */
export const PERSONAL_OF_CALLS = namesThat(CALL, ({ personal }) => personal === true);

function namesThat(fields: Listing['fields'], isWanted: (field: Listed) => boolean): readonly string[] {
  return Object.entries(fields).flatMap(([name, field]) => (isWanted(field) ? [name] : []));
}
