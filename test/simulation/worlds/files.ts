import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { importDepsOf, importPortfolio } from '../../../jobs/import/import-portfolio.ts';
import { pass } from '../run/process.ts';
import { NEVER, orSaid } from './acts.ts';
import type { Act } from './desk.ts';

/** How a file is imported: `papers` are the documents that lie beside it, `supplier` who supplies these buyers. */
type Importing = { replace?: boolean; name?: string; papers?: readonly string[]; supplier?: string };

/** Imports a file of these lines, as `limitline import` does. */
export const imports =
  (portfolio: string, lines: readonly string[], importing: Importing = {}): Act =>
  async ({ context, simulation, by }) => {
    const { replace = false, name = portfolio, papers, supplier } = importing;
    const wants = lines.slice(1).map(whatOfLine);
    simulation.says.push({ is: 'wanted', whats: wants, atMs: simulation.nowMs() });
    const files = new Map([[`${name}-of-${by}.csv`, `${lines.join('\n')}\n`]]);
    if (supplier) files.set(`supplier-of-${by}.csv`, `name,country_code\n${supplier},DE\n`);
    for (const paper of papers ?? []) files.set(paper, `%PDF-1.7\n${paper}\n%%EOF\n`);
    const pathOf = (file: string) => join(simulation.dataDir, file);
    const write = () => Promise.all([...files].map(([file, text]) => writeFile(pathOf(file), text)));
    await pass('writes the file', write, { isQuiet: true });
    const path = pathOf(`${name}-of-${by}.csv`);
    const supplierPath = supplier && pathOf(`supplier-of-${by}.csv`);
    const beside = { supplierPath, documentsDir: papers && simulation.dataDir };
    const deps = { ...importDepsOf(context, NEVER), onBatch: () => {} };
    const left = `${portfolio} from ${path} by ${by}`;
    simulation.left.set(left, (desk) => imports(portfolio, lines, importing)({ ...desk, by }));
    if (await orSaid(() => importPortfolio({ portfolio, path, reading: {}, replace, by, ...beside }, deps)))
      simulation.left.delete(left);
  };

/** Columns of the files that people import here. */
export const HEADER =
  'name,country_code,company_registration_number,requested_limit,contact_first_name,contact_last_name,contact_email';

export const lineFor = (buyer: string, limit: string) =>
  `${buyer},DE,HRB ${buyer.replace(/\D/g, '')},${limit},A,B,${buyer.replaceAll(' ', '-')}@example.com`;

/** The same with a column of documents. */
export const PAPERS_HEADER = `${HEADER},supporting_documents`;

const whatOfLine = (line: string) => {
  const cells = line.split(',');
  return `${cells[6]} ${cells[3]}`;
};
