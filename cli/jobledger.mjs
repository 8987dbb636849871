#!/usr/bin/env node
import { compile } from '../infra/compile.mjs';
import { useCompileCache } from '../infra/compile-cache.mjs';

useCompileCache();
await compile();
const { main } = await import(new URL('../build/programs/cli/main.js', import.meta.url).href);
await main(process.argv);
