import { silentLog } from '../../services/adapters/process/log.ts';
import { superviseRuns, type SuperviseDependencies } from '../../services/dispatcher/runs/supervise.ts';
import { eventually } from '../support/eventually.ts';

const stop = new AbortController();
afterAll(() => stop.abort());

/** The warnings of a dispatcher that gained partitions, where something fails. */
async function warningsWhere(failing: Partial<SuperviseDependencies>): Promise<unknown[]> {
  const warnings: unknown[] = [];
  const log = silentLog();
  log.warn = (...line: unknown[]) => void warnings.push(line);
  const { taken } = superviseRuns({
    namespaceId: () => Promise.resolve('namespace-1'),
    ensureWorkflows: () => Promise.resolve(),
    signalSettings: () => Promise.resolve(),
    restartFailed: () => Promise.resolve(),
    takeOver: () => Promise.resolve(true),
    aborted: stop.signal,
    log,
    ...failing,
  });
  await eventually('it warns', 10, () => {
    taken();
    return Promise.resolve(warnings.length > 0 || undefined);
  });
  return warnings;
}

const failure = (message: string) => () => Promise.reject(new Error(message));

describe('a check of the dispatcher', () => {
  it.each([
    ['namespaceId', '14 UNAVAILABLE', 'Temporal does not answer; waiting for it'],
    [
      'ensureWorkflows',
      'Kafka does not return the offsets',
      'the missing workflows of live Jobs could not be started; trying again',
    ],
    ['signalSettings', '14 UNAVAILABLE', 'the settings could not be signalled to waiting runs; trying again'],
    ['restartFailed', '14 UNAVAILABLE', 'failed runs could not be replaced; trying again'],
    ['takeOver', '4 DEADLINE_EXCEEDED', 'runs of another build could not be taken over; trying again'],
  ])('reports its failure: %s', async (step, error, message) => {
    expect(await warningsWhere({ [step]: failure(error) })).toEqual([[{ error }, message]]);
  });
});
