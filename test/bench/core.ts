import { runBigJob, type Cost } from './big-job.ts';
import { runChoice } from './candidates.ts';
import { replayLedger } from './replay-ledger.ts';

// `npm run bench [-- PARALLELISM COMPLETIONS]`: the core's time for a generated ledger, for big Jobs of each kind, and for the choice of a
// cluster.
const [parallelism, completions] = [Number(process.argv[2] ?? 10_000), Number(process.argv[3] ?? 100_000)];

const indexed = { parallelism, completions, completionMode: 'Indexed' } as const;
const perIndex = {
  ...indexed,
  backoffLimitPerIndex: 1,
  backoffLimit: completions,
  maxFailedIndexes: completions,
};

const LEDGER = 200_000;
await replayLedger(LEDGER / 10); // until it is compiled
const ledger = await replayLedger(LEDGER);
process.stdout.write(
  `a ledger of ${ledger.jobs} Jobs: ${ledger.events} events folded and ${ledger.decisions} decisions made, ${((ledger.events * 1000) / ledger.time).toFixed(0)} events a second\n`,
);

report(
  'NonIndexed',
  runBigJob({ parallelism, completions }, () => false),
);
report(
  'Indexed',
  runBigJob(indexed, () => false),
);
report(
  'with a limit per index, every tenth index failing once',
  runBigJob(perIndex, (index) => index % 10 === 0),
);

const CLUSTERS = 50;
const choice = await runChoice(CLUSTERS);
process.stdout.write(
  `a placed Job among ${CLUSTERS} clusters: ${choice.milliseconds.toFixed(1)} ms of CPU to choose, ${(choice.bytes / 1024).toFixed(1)} KiB the decision\n`,
);

function report(kind: string, { facts, decisions, folding, deciding, longestDecision }: Cost): void {
  const perFact = ((folding * 1000) / facts).toFixed(0);
  const perDecision = (deciding / decisions).toFixed(1);
  process.stdout.write(
    `${kind}: ${facts} facts, ${perFact} µs each; ${decisions} decisions, ${perDecision} ms each, the longest ${longestDecision.toFixed(0)} ms\n`,
  );
}
