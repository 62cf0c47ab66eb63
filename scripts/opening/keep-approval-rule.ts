import { commandLineActor } from '../../src/actor.ts';
import type { Context } from '../../src/context.ts';
import { type ApprovalPolicy, leavesNobody, NOBODY_NAMED } from '../../src/ledger/schema/approval.ts';
import { commandLineFrom } from '../audit/audit-command.ts';

/**
 * Makes this process's approval settings, set or unset, the account's rule. Commands without these settings then follow it. While another
 * `console` or `work` runs with stricter settings, those stay the rule. Changes are logged and audited, and a rule that lets nobody approve
 * dropped files is warned of once.
 *
 * @throws where the audit cannot be written: then the rule is unchanged
 */
export async function keepApprovalRule({
  approvalRule: { keep, own, now },
  fleet,
  audit,
  log,
}: Pick<Context, 'approvalRule' | 'fleet' | 'audit' | 'log'>): Promise<void> {
  const others = (await fleet.read()).filter(
    ({ role, asks }) => asks !== null && (role === 'console' || role === 'work'),
  );
  let isTold = false;
  const warnOfNobody = (rule: ApprovalPolicy) => {
    if (isTold || !leavesNobody(rule)) return;
    isTold = true;
    log.warn(NOBODY_NAMED);
  };
  const change: Parameters<typeof keep>[0] = async ({ before, after }) => {
    const facts = { before: inFull(before), after: inFull(after) };
    await audit.note({ by: commandLineActor(), what: 'approval rule changed', from: commandLineFrom(), facts });
    log.warn(
      facts,
      'what another person has to approve is changed for the whole account, by the settings of this process',
    );
    warnOfNobody(after);
  };
  const isOwn = await keep(
    change,
    others.map(({ asks }) => asks ?? undefined),
  );
  // Another process may have started at the same moment, or while this one stood still. Beside the present rule, this one only adds to it.
  await fleet.serve(own, () => keep(change, [undefined]));
  warnOfNobody(await now());
  if (isOwn) return;
  log.warn(
    { running: others.map(({ role, host, pid }) => ({ role, host, pid })) },
    'another process of this account asks for approval by stricter settings, which apply until that process has stopped and another one starts',
  );
}

/** Writes missing limits as null, which JSON would leave out. */
function inFull({ always, above = null, personAbove = null, windowDays = 0, inboxApprovers = null }: WithNull) {
  return { always, above, personAbove, windowDays, inboxApprovers };
}

type WithNull = { [Field in keyof ApprovalPolicy]: ApprovalPolicy[Field] | null };
