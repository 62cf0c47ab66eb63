const BROWSERS: readonly [pattern: RegExp, words: string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const SYSTEMS: readonly [pattern: RegExp, words: string][] = [
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b|\bCrOS\b/, 'Linux'],
];

/** A browser as a person knows it, by what it calls itself: `Firefox on Linux`; what is not known as it stands. */
export function browserWords(agent: string): string {
  const find = (table: typeof BROWSERS) => table.find(([pattern]) => pattern.test(agent))?.[1];
  const browser = find(BROWSERS);
  if (browser === undefined) return agent === '' ? 'not known' : agent;
  const system = find(SYSTEMS);
  return system === undefined ? browser : `${browser} on ${system}`;
}
