import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordsPage } from './records.ts';
import { schemaLua } from './schema.ts';

// `node src/ledger/schema-lua.ts` after each change of schema.ts or records.ts; test/ledger/schema.test.ts says where it was forgotten.
writeFileSync(new URL('./lua/schema.lua', import.meta.url), schemaLua());
writeFileSync(join(import.meta.dirname, '..', '..', 'docs', 'redis.md'), recordsPage());
