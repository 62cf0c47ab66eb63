import type { MachineFunctions } from '../../src/console/pages/machines/add-machines.ts';
import type { Context } from '../../src/context.ts';
import { type Machines, openMachines } from '../machines/open-machines.ts';

/**
 * What machines may ask of a console. Where the process works as well, it hands what it counts by; else nothing is measured
 * before somebody asks.
 */
export function machineFunctions(context: Context, machines?: Machines): MachineFunctions {
  let opened = machines;
  return {
    answer: (question) => {
      opened ??= openMachines(context, { role: 'console' });
      return opened.answer(question);
    },
  };
}
