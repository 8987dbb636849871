import { Command, InvalidArgumentError, Option } from 'commander';

/** Who controls the Jobs in a round. */
export const SIDES = ['builtin-default', 'builtin-lifted', 'jobledger'] as const;
export type SideName = (typeof SIDES)[number];

/** Where Temporal keeps its data: in the embedded server's SQLite, or in a Postgres of its own. */
const TEMPORAL_DATABASES = ['sqlite', 'postgres'] as const;
export type TemporalDatabase = (typeof TEMPORAL_DATABASES)[number];

/** What both sides must do. */
export interface Load {
  readonly jobs: number;
  /** Pods of each Job. */
  readonly pods: number;
  readonly parallelism: number;
  readonly indexed: boolean;
  /** Jobs created each second; undefined: all at once. */
  readonly rate?: number | undefined;
}

export interface BenchOptions {
  readonly load: Load;
  readonly rounds: number;
  readonly sides: readonly SideName[];
  readonly pinned: boolean;
  readonly verify: boolean;
  readonly api: boolean;
  readonly temporalOn: TemporalDatabase;
  /** One-pod Jobs that each side finishes before the measured ones, so that neither is measured while it starts. */
  readonly warmUp: number;
  readonly json?: string | undefined;
}

interface Given {
  jobs: number;
  pods: number;
  parallelism?: number;
  indexed: boolean;
  rate?: number;
  seconds: number;
  rounds: number;
  sides: SideName[];
  unpinned: boolean;
  verify: boolean;
  api: boolean;
  temporalOn: TemporalDatabase;
  warmUp: number;
  json?: string;
}

/** Reads the command line. `fail` receives the message when it is wrong. */
export function readOptions(args: readonly string[], fail?: (message: string) => never): BenchOptions {
  const command = new Command('npm run bench:controller --')
    .description('compares the built-in Job controller with Jobledger, on one control plane and one load')
    .option('--jobs <number>', 'Jobs of a round', count, 1000)
    .option('--pods <number>', 'pods of each Job', count, 1)
    .option('--parallelism <number>', 'default: all pods of a Job at once', count)
    .option('--indexed', 'Indexed Jobs', false)
    .option('--rate <number>', 'create this many Jobs a second instead of all at once', positive)
    .option('--seconds <number>', 'with --rate: how long; replaces --jobs', count, 60)
    .option('--rounds <number>', 'rounds of each side', count, 3)
    .addOption(new Option('--sides <list>', SIDES.join(',')).argParser(sides).default([...SIDES], 'all'))
    .option('--unpinned', 'let every process use every core', false)
    .option('--no-verify', 'do not verify the ledger after each round of Jobledger')
    .option('--api', "Jobledger's HTTP API runs too", false)
    .addOption(
      new Option('--temporal-on <database>', 'a Temporal server of its module instead of the embedded one')
        .choices(TEMPORAL_DATABASES)
        .default('sqlite'),
    )
    .option('--warm-up <number>', 'Jobs of each round that are not measured', count, 20)
    .option('--json <file>', 'write every figure of every round to this file');
  if (fail !== undefined)
    command.exitOverride(({ message }) => fail(message)).configureOutput({ writeErr: () => undefined });
  const given = command.parse([...args], { from: 'user' }).opts<Given>();
  return {
    load: toLoad(given),
    rounds: given.rounds,
    sides: given.sides,
    pinned: !given.unpinned,
    verify: given.verify,
    api: given.api,
    temporalOn: given.temporalOn,
    warmUp: given.warmUp,
    json: given.json,
  };
}

function toLoad({ jobs, pods, parallelism = pods, indexed, rate, seconds }: Given): Load {
  return { jobs: rate === undefined ? jobs : Math.round(rate * seconds), pods, parallelism, indexed, rate };
}

/** Which side runs in which round. Every second round is in reverse order, so that a drift of the machine favours none. */
export function schedule(names: readonly SideName[], rounds: number): { round: number; side: SideName }[] {
  return Array.from({ length: rounds }, (_none, at) => at + 1).flatMap((round) =>
    (round % 2 === 1 ? names : names.toReversed()).map((side) => ({ round, side })),
  );
}

/** The load as text, for the heading of a report. */
export function loadText({ jobs, pods, parallelism, indexed, rate }: Load): string {
  const kind = `${jobs} ${indexed ? 'Indexed ' : ''}${jobs === 1 ? 'Job' : 'Jobs'}`;
  const size = `${pods} ${pods === 1 ? 'pod' : 'pods'}${jobs === 1 ? '' : ' each'}`;
  const limit = parallelism < pods ? ` at parallelism ${parallelism}` : '';
  return `${kind} of ${size}${limit}, ${rate === undefined ? 'created at once' : `${rate} created each second`}`;
}

function count(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('give a whole number above 0');
  return Number(text);
}

function positive(text: string): number {
  if (!(Number(text) > 0)) throw new InvalidArgumentError('give a number above 0');
  return Number(text);
}

function sides(text: string): SideName[] {
  const names = text.split(',');
  return names.map((name) => {
    const side = SIDES.find((known) => known === name);
    if (side === undefined) throw new InvalidArgumentError(`there are: ${SIDES.join(', ')}`);
    return side;
  });
}
