import { commandLineActor } from '../../src/actor.ts';
import type { Context } from '../../src/context.ts';
import type { ApprovalPolicy } from '../../src/ledger/schema/approval.ts';
import { commandLineFrom } from '../audit/audit-command.ts';

/**
 * What serves makes its settings the account's rule of approval as it starts, set or unset: a command that lacks them is held to it,
 * and lifting it is a restart of what serves. `up` is served by `console` and `work`. A change is logged, and in the audit.
 *
 * @throws where it cannot be written into the audit: then the rule stays what it was
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

/** Also in writing without a limit, which JSON would leave out. */
function inFull({ always, above = null, personAbove = null, windowDays = 0, inboxApprovers = null }: WithNull) {
  return { always, above, personAbove, windowDays, inboxApprovers };
}

type WithNull = { [Field in keyof ApprovalPolicy]: ApprovalPolicy[Field] | null };
