import { longRun } from '../kills/long-run.ts';
import { linesOfEngineFigures, runOnEngines } from './run.ts';

/** `npm run test:engines -- --rounds 20 --seed 7`: faults of real engines (CONTRIBUTING.md). */
await longRun({
  defaults: { rounds: '20', seed: '7', each: '5', json: 'docs/benchmarks/engines.json' },
  run: runOnEngines,
  linesOf: linesOfEngineFigures,
});
