import { availableParallelism, cpus, release, totalmem, type } from 'node:os';

/**
 * What figures were measured on, in one line: they mean little without it.
 *
 * @param facts more of it, by name, such as the version of a server
 */
export function machineLine(facts: Readonly<Record<string, string>>): string {
  const cores = availableParallelism();
  const model = cpus()[0]?.model.trim();
  const parts = [
    `${cores} ${cores === 1 ? 'core' : 'cores'}${model ? ` (${model})` : ''}`,
    `${Math.round(totalmem() / 2 ** 30)} GiB`,
    `${type()} ${release()}`,
    `Node ${process.versions.node}`,
    ...Object.entries(facts).map(([name, value]) => `${name} ${value}`),
  ];
  return `Measured on ${parts.join(', ')}.`;
}
