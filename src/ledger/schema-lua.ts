import { writeFileSync } from 'node:fs';
import { schemaLua } from './schema.ts';

// `node src/ledger/schema-lua.ts` after each change of schema.ts; test/ledger/schema.test.ts says where it was forgotten.
writeFileSync(new URL('./lua/schema.lua', import.meta.url), schemaLua());
