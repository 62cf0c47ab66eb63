import { basename, extname } from 'node:path';

/** The portfolio for a file: `Buyers Q4 (final).csv` → `Buyers Q4 -final-`. Hyphens replace forbidden characters. */
export function portfolioNameOf(file: string): string {
  const name = basename(file, extname(file)).normalize('NFC');
  return (
    name
      .replace(/[^\p{L}\p{N} ._-]/gu, '-')
      .replace(/^[^\p{L}\p{N}]+/u, '')
      .slice(0, 64) || 'portfolio'
  );
}
