import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** All files below a folder with their contents; gzip files are decompressed. */
export async function filesBelow(dir: string): Promise<{ path: string; content: string }[]> {
  const found = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(
    files.map(async (path) => {
      const bytes = await readFile(path);
      const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
      return { path, content: (isPacked ? gunzipSync(bytes) : bytes).toString('latin1') };
    }),
  );
}
