import { commandLineActor } from '../../src/actor.ts';
import type { Context } from '../../src/context.ts';
import type { ApprovalPolicy } from '../../src/ledger/schema/approval.ts';
import { commandLineFrom } from '../audit/audit-command.ts';

/**
 * Makes this process's approval settings, set or unset, the account's rule. Commands without these settings then follow it, and
 * lifting it takes a restart of `console` or `work` (`up` starts both). Changes are logged and audited.
 *
 * @throws where the audit cannot be written: then the rule is unchanged
 */
export async function keepApprovalRule({
  keepApprovalRule: keep,
  audit,
  log,
}: Pick<Context, 'keepApprovalRule' | 'audit' | 'log'>): Promise<void> {
  await keep(async ({ before, after }) => {
    const facts = { before: inFull(before), after: inFull(after) };
    await audit.note({ by: commandLineActor(), what: 'approval rule changed', from: commandLineFrom(), facts });
    log.warn(
      facts,
      'what another person has to approve is changed for the whole account, by the settings of this process',
    );
  });
}

/** Writes missing limits as null, which JSON would leave out. */
function inFull({ always, above = null, personAbove = null, windowDays = 0, inboxApprovers = null }: WithNull) {
  return { always, above, personAbove, windowDays, inboxApprovers };
}

type WithNull = { [Field in keyof ApprovalPolicy]: ApprovalPolicy[Field] | null };
