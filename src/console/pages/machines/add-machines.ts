import type { ConsoleApp } from '../../console-app.ts';

/** A question of a machine, and what it is answered; as src/metrics/machine-answers.ts has them. */
type Question = {
  path: string;
  remoteAddress: string | undefined;
  headers: Readonly<Record<string, string | string[] | undefined>>;
};
type Answer = { status: number; type: string; body: string };

/** Answers what machines ask; nothing for a path that is none of theirs. */
export type MachineFunctions = { answer: (question: Question) => Promise<Answer | undefined> };

const PATHS = ['/health/live', '/health/ready', '/metrics'] as const;

/** Health and figures for machines, under the console's own address and by the rule of src/metrics/machine-answers.ts. */
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
