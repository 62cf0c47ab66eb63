import type { Approval } from '../../src/ledger/schema/approval.ts';
import type { Role } from '../../src/people/person.ts';
import { whyNot } from './answer-approval.ts';

/** Lists users page by page. */
type ListsUsers = {
  list: (page: {
    after?: string | undefined;
    limit: number;
  }) => Promise<{ users: readonly { name: string; roles: readonly Role[] }[]; next?: string | undefined }>;
};

/** Users searched at most. A sentence names a few and counts the rest. */
const MOST_LOOKED_AT = 1_000;
const PAGE = 200;

/** The names of users who may answer an approval, sorted: see whyNot. */
export async function approversOf(
  approval: Pick<Approval, 'authors' | 'approvers'>,
  users: ListsUsers,
): Promise<string[]> {
  const found: string[] = [];
  let after: string | undefined;
  for (let looked = 0; looked < MOST_LOOKED_AT; looked += PAGE) {
    const page = await users.list({ after, limit: PAGE });
    for (const { name, roles } of page.users) {
      if (!whyNot(approval, { by: name, roles })) found.push(name);
    }
    after = page.next;
    if (after === undefined) break;
  }
  return found;
}
