import { actorsOf, commandLineActor } from '../../src/actor.ts';
import type { Settings } from '../../src/config.ts';
import type { Context } from '../../src/context.ts';
import { moneyText } from '../../src/counted.ts';
import { exactText } from '../../src/ledger/counts/outcome-sums.ts';
import { asksApprovalOf, BEFORE_YES, policyOf, whyWords } from '../../src/ledger/schema/approval.ts';
import { type DryRun, sumAfter } from '../../src/portfolio/preview.ts';

/** `left`: how many of the limits wait in the portfolio already, as the file says. */
type ToImport = { portfolio: string; dryRun: DryRun; left: number };

/**
 * A sentence that another person must approve this import, or may have to; undefined if not. What one buyer is to get over several days is
 * known only when the lines are imported.
 */
export async function approvalOutlook(
  { portfolio, dryRun, left }: ToImport,
  { settings, context }: { settings: Settings; context: Context | null },
): Promise<string | undefined> {
  const { limits, requested } = dryRun;
  if (limits === left) return undefined;
  const policy = context ? await context.approvalPolicy() : policyOf(settings);
  if (policy.always) return `Every import waits for an approval: ${BEFORE_YES}.`;
  const { above = '', personAbove = '', windowDays = 0 } = policy;
  const known = sumAfter(dryRun, await sumOf(portfolio, context));
  const sum = known ?? requested;
  const person = { always: false, above: policy.personAbove };
  const ofPerson = { of: 'person', name: commandLineActor(), sum: requested, limit: personAbove } as const;
  const over = asksApprovalOf(policy, sum)
    ? ({ of: 'portfolio', name: portfolio, sum, limit: above } as const)
    : asksApprovalOf(person, requested)
      ? ofPerson
      : await context?.approvals.personOver(actorsOf(ofPerson.name), requested, policy);
  if (over) return `${whyWords({ kind: 'import', over }).slice(0, -1)}: ${BEFORE_YES}.`;
  const unknown = [
    ...(known === undefined ? ['the portfolio'] : []),
    ...(windowDays > 0 ? [`one buyer within ${windowDays} days`] : []),
  ];
  if (above === '' || unknown.length === 0) return undefined;
  return `If the sum of ${unknown.join(' or of ')} is above ${moneyText(above)} with this file, ${BEFORE_YES}.`;
}

/** What the portfolio asks for now. */
async function sumOf(portfolio: string, context: Context | null): Promise<string> {
  if (!context) return '0';
  const { cancelled: _gone, ...counted } = (await context.portfolios.read(portfolio)).sums.byState;
  return exactText(Object.values(counted));
}
