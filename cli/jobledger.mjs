#!/usr/bin/env node
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { compile } from '../infra/compile.mjs';

// Compiled code of libraries, in the user's own cache: others could plant code in a shared one.
module.enableCompileCache?.(
  join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'jobledger', 'compiled'),
);

await compile();
const { main } = await import(new URL('../build/programs/cli/main.js', import.meta.url).href);
await main(process.argv);
