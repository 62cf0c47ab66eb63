import { whyAnswersWait } from '../../jobs/operators/answers-approval.ts';
import { knownIds, strangeId } from '../../jobs/operators/id-faults.ts';
import type { HeldFilePlan, ResolutionSummary } from '../../jobs/operators/plan-held-file.ts';
import { heldElsewhere, planHeldFile, resolvedOf, resolvePlan } from '../../jobs/operators/plan-held-file.ts';
import { type Acted, isEmpty } from '../../jobs/plans/act-on-rows.ts';
import { currencyOfPortfolio, importNames } from '../../jobs/rows/import-names.ts';
import { accountOf, readSettings } from '../../src/config.ts';
import type { Context } from '../../src/context.ts';
import { counted, moneyText } from '../../src/counted.ts';
import { addAmounts } from '../../src/exact-sum.ts';
import { givenFileDigest } from '../../src/files/disk.ts';
import { answeredWords, elsewhereWords, type Plan } from '../../src/ledger/plans/plan.ts';
import type { ResolvedRow } from '../../src/ledger/story/held-plan.ts';
import { readResolutionFile } from '../../src/portfolio/results/resolution-file.ts';
import { askedWords } from '../approval/approval-words.ts';
import { auditCommand, waitsFact } from '../audit/audit-command.ts';
import { actOnChosen, actOnShown, approvedFirst, cameWords, plannedOf } from '../choice/row-choice.ts';
import { onPortfolio } from '../opening/on-portfolio.ts';
import { asksFirst, checkYesForAll, type ResolveOptions, unlessRight } from '../options/resolve-options.ts';
import { PROBLEMS_STATUS } from '../process/exit-status.ts';
import { askYesOrNo, goingOn, NEVER, type Terminal } from '../terminal/terminal.ts';

/** `resolve NAME --from FILE`: applies all answers of a file, or none if any is impossible. Answers the exit status: 2 with problems. */
export async function resolveFile(
  name: string,
  path: string,
  options: ResolveOptions,
  terminal: Terminal,
): Promise<number> {
  const { dryRun = false, idIsRight = false } = options;
  const sha256 = await givenFileDigest(path);
  const file = await readResolutionFile(path, accountOf(readSettings()));
  return onPortfolio(name, async (context) => {
    const plan = await planHeldFile(name, file, context);
    if (!idIsRight) plan.problems.push(...(await strangeIds(name, plan, context)));
    const currency = await currencyOfPortfolio(name, context);
    const counts = { portfolio: name, file: path, silent: file.silent, problems: plan.problems };
    if (plan.problems.length > 0) {
      terminal.print(problemWords(path, plan), { ...counts, calls: 0, rows: 0, of: [] });
      return PROBLEMS_STATUS;
    }
    if (file.words.length === 0) {
      const words = `Nothing is filled in: no line of ${path} gives an id or "resend". Nothing was done.`;
      terminal.print(words, { ...counts, calls: 0, rows: 0, of: [] });
      return PROBLEMS_STATUS;
    }
    const asks = !dryRun && asksFirst(options);
    const rows = plan.planned.map(({ found }) => found);
    const approval = dryRun || asks ? await whyAnswersWait(name, rows, context) : undefined;
    if (dryRun) {
      const imports = await importNames(name, context);
      const of = plan.planned.map(({ found, made }) => resolvedOf(found, made, imports));
      const goes = elsewhereWords(await heldElsewhere(name, [rows], context));
      const words = [
        ...of.map((one) => resolvedWords(one, currency, 'would be')),
        ...approvedFirst({ approval }),
        ...goes,
        silentWords(file.silent),
        NOTHING_CHANGED,
      ];
      const foreseen = approval === undefined ? {} : { approval };
      terminal.print(words.filter(Boolean).join('\n'), { ...counts, dryRun, of, ...foreseen });
      return 0;
    }
    const again = plan.planned.filter(({ made }) => made === undefined).map(({ found }) => found);
    if (asks && again.length > 0) {
      const sum = again.map(({ result }) => result.request.limit.requested_limit).reduce(addAmounts);
      const elsewhere = elsewhereWords(await heldElsewhere(name, [again], context));
      const answered = plan.planned.filter(({ found, made }) => resolvedOf(found, made, new Map()).answered).length;
      const parts = [`${counted(again.length, 'held row')}, ${moneyText(sum, currency)} in total`];
      terminal.say(
        `limitline: ${[againWords(parts), ...answeredWords(answered), ...approvedFirst({ approval }), ...elsewhere].join(' ')}`,
      );
      if (!(await askYesOrNo(AGAIN, NEVER))) {
        terminal.print(UNCHANGED, { ...counts, calls: 0, rows: 0, of: [] });
        return PROBLEMS_STATUS;
      }
    }
    const act = () => resolvePlan(plan, context, (of) => terminal.answer(resolvedWords(of, currency)));
    const said = { sha256, made: plan.planned.length - again.length, resend: again.length };
    const facts = ({ calls, rows, waits }: ResolutionSummary) => ({ ...said, calls, rows, ...waitsFact(waits) });
    const resolution = await auditCommand(context, act, { facts });
    const { goes, workers } = await goingOn(rowsHere(resolution), name, context);
    const last = resolution.waits
      ? askedWords(name, resolution.waits, currency)
      : `${counted(resolution.calls, 'call')} resolved; ${goes}`;
    const others = elsewhereWords(resolution.elsewhere);
    terminal.print([silentWords(file.silent), ...others, last].filter(Boolean).join('\n'), {
      ...counts,
      ...resolution,
      workers,
    });
    return 0;
  });
}

/** The lines whose id is unlike what the service answered, or the other ids of the portfolio. */
async function strangeIds(
  name: string,
  { planned }: HeldFilePlan,
  context: Context,
): Promise<HeldFilePlan['problems']> {
  const known = await knownIds(name, context);
  return planned.flatMap(({ at, made, found, call: { kind } }) => {
    const strange = made && strangeId(made, found, known[kind]);
    return strange ? [{ at, message: `"${made}": ${unlessRight(strange)}` }] : [];
  });
}

/**
 * `resolve NAME --all --resend`: says which calls would be sent again, asks on a terminal, and sends them. Rows that became held
 * after the question are left alone. Answers the exit status, which is 2 if the person said no.
 */
export function resolveAll(name: string, options: ResolveOptions, terminal: Terminal): Promise<number> {
  const { step, dryRun = false } = options;
  const filter = { states: ['held'] as const, ...(step === undefined ? {} : { step }) };
  return onPortfolio(name, async (context) => {
    const { plan } = await actOnChosen({ portfolio: name, action: 'resend', filter }, { dryRun: true }, context);
    const planned = { ...plannedOf(plan), supplier: plan.supplier, elsewhere: plan.elsewhere };
    const look = lookWords(plan);
    if (dryRun || isEmpty(plan)) {
      terminal.print(dryRun ? `${look}\n${NOTHING_CHANGED}` : look, { portfolio: name, planned, dryRun, rows: 0 });
      return 0;
    }
    checkYesForAll(options);
    // A person must see before the question what would be sent again; without a question it is part of the answer.
    if (asksFirst(options)) terminal.say(`limitline: ${look}`);
    else terminal.answer(look);
    if (asksFirst(options) && !(await askYesOrNo(AGAIN, NEVER))) {
      terminal.print(UNCHANGED, { portfolio: name, planned, rows: 0 });
      return PROBLEMS_STATUS;
    }
    const facts = ({ state, waits }: Acted) => ({
      rows: waits ? 0 : state?.done,
      changed: state?.came,
      ...waitsFact(waits),
    });
    const acted = await auditCommand(context, () => actOnShown(plan, context), { facts });
    const { rows = 0, changed = 0 } = facts(acted);
    const supplier = plan.supplier && rows === 0 ? "The supplier's company is sent again" : undefined;
    const { goes, workers } = await goingOn(rows, name, context, supplier);
    const { waits } = acted;
    const words = waits
      ? askedWords(name, waits, plan.currency)
      : [goes, cameWords(changed)].filter(Boolean).join('\n');
    terminal.print(words, { portfolio: name, planned, rows, changed, workers, ...(waits ? { waits } : {}) });
    return 0;
  });
}

const AGAIN = 'Send them again? [y/N] ';

/** What is said after a no. */
export const UNCHANGED = 'Nothing was changed.';

/** The last line after `--dry-run`. */
export const NOTHING_CHANGED = 'Nothing was changed (--dry-run).';

/** `line 3 of q4.csv #1 (row q4/…), Buyer 2 GmbH, 1,002.5: its limit is taken as made, bl_…` */
export function resolvedWords(
  { line, import: file, row, step, name, requested_limit, made, answered }: ResolvedRow,
  currency: string | undefined,
  be: 'is' | 'would be' | 'will be' = 'is',
): string {
  const what = step === 'documents' ? 'document' : step;
  const became = made === undefined ? `${what} ${be} sent again` : `${what} ${be} taken as made, ${made}`;
  const after = be === 'will be' ? ', once another person approves it' : '';
  return `line ${line} of ${file} (row ${row}), ${name}, ${moneyText(requested_limit, currency)}: its ${became}${after}${answered === undefined ? '' : `. The service answered this call with status ${answered}, so it is likely to be made twice`}`;
}

/** The number of the portfolio's own rows that go on. Rows of other portfolios are not counted, because those portfolios may be paused. */
export function rowsHere({ rows, elsewhere = [] }: ResolutionSummary): number {
  return elsewhere.reduce((here, other) => here - other.rows, rows);
}

function problemWords(path: string, { problems }: HeldFilePlan): string {
  const found = problems.map(({ at, message }) => `${path}, line ${at}: ${message}`);
  return [
    ...found,
    `Nothing was done: ${counted(problems.length, 'line')} of ${path} ${problems.length === 1 ? 'is wrong; mend it' : 'are wrong; mend them'} first.`,
  ].join('\n');
}

function silentWords(silent: number): string {
  if (silent === 0) return '';
  const [gives, changes] = silent === 1 ? ['gives', 'changes'] : ['give', 'change'];
  return `${counted(silent, 'line')} of the file ${gives} neither an id nor "resend", and ${changes} nothing.`;
}

function againWords(parts: readonly string[]): string {
  return `To be sent again: ${parts.join('; ')}. Whatever the service did make of them is then made twice.`;
}

function lookWords(plan: Plan): string {
  const { portfolio, rows, sum, currency, isExact, answered, supplier, elsewhere, filter } = plan;
  const { step } = filter;
  if (rows === 0 && isExact && !supplier)
    return `Nothing of portfolio ${portfolio} is held${step === undefined ? '' : ` at the step ${step}`}.`;
  const held = `${isExact ? '' : 'at least '}${counted(rows, 'held row')}${step === undefined ? '' : ` of the step ${step}`}`;
  const parts = [
    ...(rows > 0 ? [`${held}, ${moneyText(sum, currency)} in total`] : []),
    ...(supplier ? ["the supplier's company"] : []),
  ];
  return [againWords(parts), ...answeredWords(answered), ...approvedFirst(plan), ...elsewhereWords(elsewhere)].join(
    ' ',
  );
}
