import { linesOfFigures, sumFigures } from './figures.ts';
import { longRun } from './long-run.ts';
import { runRounds } from './run.ts';

/** `npm run test:kills -- --rounds 200 --seed 7`: the kill suite for long. */
await longRun({
  defaults: { rounds: '200', seed: '7', each: '100', json: 'docs/benchmarks/kills.json' },
  run: runRounds,
  figureLines: linesOfFigures,
  sumRuns: sumFigures,
});
