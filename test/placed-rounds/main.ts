import { longRun } from '../kills/long-run.ts';
import { linesOfFigures, sumFigures } from './figures.ts';
import { runRounds } from './run.ts';

/** `npm run test:placed-rounds -- --rounds 40 --seed 7`: the faults of placed Jobs for long. */
await longRun({
  defaults: { rounds: '40', seed: '7', each: '11', json: 'docs/benchmarks/placed-rounds.json' },
  run: (options) => runRounds(options, { ownServers: true }),
  figureLines: linesOfFigures,
  sumRuns: sumFigures,
});
