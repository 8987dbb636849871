const EACH = 2000;
const DEFAULT_FIRST = 20_000;

/** The first of the ports of a test run. Two test runs at a time on one machine need different ones in `JOBLEDGER_LOCAL_PORTS`. */
const first = (): number =>
  Number((process.env['JOBLEDGER_LOCAL_PORTS'] ?? `${DEFAULT_FIRST}`).split('-')[0]);

/** The ports of the servers that the files of a run share. */
export function sharedPorts(): string {
  return range(0);
}

/** The ports of the servers that one file at a time starts, in one of jest's workers, which are counted from 1. */
export function portsOfWorker(worker: number): string {
  return range(worker);
}

function range(at: number): string {
  const from = first() + at * EACH;
  return `${from}-${from + EACH - 1}`;
}
