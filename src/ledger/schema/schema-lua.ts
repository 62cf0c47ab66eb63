import { writeFileSync } from 'node:fs';
import { recordsPage } from './records.ts';
import { schemaLua } from './schema.ts';

// Run `node src/ledger/schema/schema-lua.ts` in the project's folder after each change of schema.ts or records.ts;
// test/ledger/schema/schema.test.ts fails otherwise.
writeFileSync(new URL('../lua/schema.lua', import.meta.url), schemaLua());
writeFileSync('docs/redis.md', recordsPage());
