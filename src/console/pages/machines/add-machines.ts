import { OPEN } from '../../access/rules.ts';
import { page } from '../page.ts';

/** A request of a machine and its answer, as in src/metrics/machine-answers.ts. */
type Question = {
  path: string;
  remoteAddress: string | undefined;
  headers: Readonly<Record<string, string | string[] | undefined>>;
};
type Answer = { status: number; type: string; body: string };

/** Answers requests of machines; undefined for an unknown path. */
export type MachineFunctions = { answer: (question: Question) => Promise<Answer | undefined> };

const PATHS = ['/health/live', '/health/ready', '/metrics'] as const;

/** Health and metrics for machines at the console's address, with the access rule of src/metrics/machine-answers.ts. */
export const machinesPage = page<MachineFunctions>({ ours: 'all' }, ({ get }) =>
  PATHS.map((path) =>
    get(path, {
      may: OPEN,
      show: async ({ request, reply, given }) => {
        const { remoteAddress } = request.socket;
        const found = await given.answer({ path, remoteAddress, headers: request.headers });
        if (!found) {
          reply.callNotFound();
          return undefined;
        }
        return reply.code(found.status).header('cache-control', 'no-store').type(found.type).send(found.body);
      },
    }),
  ),
);
