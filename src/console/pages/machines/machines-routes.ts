import { OPEN } from '../../access/access.ts';
import { page } from '../page.ts';

/** An HTTP request of a machine, as far as health and metrics need it (src/metrics/machine-answers.ts). */
type Question = {
  path: string;
  remoteAddress: string | undefined;
  headers: Readonly<Record<string, string | string[] | undefined>>;
};
type Answer = { status: number; type: string; body: string };

/** Answers requests of machines; undefined for an unknown path. */
export type MachineFunctions = { answer: (question: Question) => Promise<Answer | undefined> };

const PATHS = ['/health/live', '/health/ready', '/metrics'] as const;

/** The addresses at which machines read Limitline's health and metrics. src/metrics/machine-answers.ts decides who may read them. */
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
