import type { ConsoleApp } from '../../console-app.ts';

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
export function addMachines(app: ConsoleApp, { answer }: MachineFunctions): void {
  for (const path of PATHS) {
    app.get(path, async (request, reply) => {
      const { remoteAddress } = request.socket;
      const found = await answer({ path, remoteAddress, headers: request.headers });
      if (!found) return reply.callNotFound();
      return reply.code(found.status).header('cache-control', 'no-store').type(found.type).send(found.body);
    });
  }
}
