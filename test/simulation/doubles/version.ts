/** In place of src/version.ts: all simulated processes run the same code, and traces do not differ from commit to commit. */
export const readBuild = (): string => 'simulated';
