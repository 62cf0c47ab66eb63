/** Replaces src/version.ts: all simulated processes run the same code, and traces do not differ between commits. */
export const readBuild = (): string => 'simulated';
