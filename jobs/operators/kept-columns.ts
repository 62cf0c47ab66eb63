import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { makeFolder } from '../../src/data-folder.ts';
import { putText } from '../../src/files/draft.ts';
import { isJson } from '../../src/json-pointer.ts';
import { formOf } from '../../src/portfolio/read-options.ts';
import type { DecisionsFile, KeptColumns } from '../../src/portfolio/results/decisions-file.ts';

const keptSchema = z.object({ map: z.array(z.string()), by: z.string() });

/**
 * The store of mappings for files of decisions. A person names the columns of one file; the mapping then counts for all files with its
 * header.
 */
export function makeKeptColumns({ dataDir }: { dataDir: string }) {
  const dir = join(dataDir, 'mappings', 'decisions');
  const nameOf = (header: readonly string[]) => `${formOf(header)}.json`;

  return {
    async find(header: readonly string[]): Promise<KeptColumns | undefined> {
      const text = await readFile(join(dir, nameOf(header)), 'utf8').catch(() => '');
      // A mapping that is damaged, or of another version, counts as missing, so that people are asked again.
      return isJson(text) ? keptSchema.safeParse(JSON.parse(text)).data : undefined;
    },

    /** Keeps the mapping that a person gave for this file, for later files with its header. An empty mapping removes the one that was kept. */
    async keep({ header, mapped }: Pick<DecisionsFile, 'header' | 'mapped'>, by: string): Promise<void> {
      if (mapped.by !== undefined) return;
      if (mapped.map.length === 0) return rm(join(dir, nameOf(header)), { force: true });
      makeFolder(dir, 0o700);
      await putText(dir, nameOf(header), `${JSON.stringify({ map: mapped.map, by })}\n`);
    },
  };
}
