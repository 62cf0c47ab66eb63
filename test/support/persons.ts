import type { FastifyRequest } from 'fastify';
import type { AuditNote } from '../../src/audit/audit.ts';
import type { AccessFunctions } from '../../src/console/access/add-access.ts';
import { type Person, ROLES } from '../../src/people/person.ts';

/** Somebody who may do everything, and is no user: for tests of what pages do. */
export const ANYBODY: Person = { by: 'console', roles: ROLES };

/** The header by which a test says who asks, `fiona finance+approver`; somebody who is not known leaves it out. */
const WHO = 'x-test-who';

/** What a request of this person brings. */
export function as(by: string, ...roles: string[]): Record<string, string> {
  return { [WHO]: `${by} ${roles.join('+')}` };
}

/** A console whose people come by a header: for tests of who may what, which is no matter of how people sign in. */
export const byHeader: Pick<AccessFunctions, 'identify'> = {
  identify: async ({ headers }: FastifyRequest): Promise<Person | undefined> => {
    const [by, roles = ''] = String(headers[WHO] ?? '').split(' ');
    return by ? { by, roles: ROLES.filter((role) => roles.split('+').includes(role)) } : undefined;
  },
};

/** An audit that is read by the test: what was noted, in order, and what came of what was done. */
export function openNotedAudit() {
  const entries: (AuditNote & { is?: 'wished' | 'done' | 'failed' | 'refused' })[] = [];
  const audit: AccessFunctions['audit'] = {
    note: async (note) => void entries.push(note),
    refusal: async (note) => void entries.push({ ...note, is: 'refused' }),
    async around(note, act, facts) {
      entries.push({ ...note, is: 'wished' });
      try {
        const answer = await act();
        entries.push({ ...note, is: 'done', facts: { ...facts?.(answer) } });
        return answer;
      } catch (error) {
        entries.push({ ...note, is: 'failed' });
        throw error;
      }
    },
  };
  return { audit, entries };
}
