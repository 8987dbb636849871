import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kafkaVariables } from '../../infra/local/state/addresses.ts';
import { createSupervisor } from '../../infra/local/processes/supervisor.ts';
import { kafkaBrokers } from './kafka-brokers.ts';

/** Three brokers with ids 1 to 3, for one test file. */
export interface ThreeBrokers {
  variables: Record<string, string>;
  /** Ends one broker. */
  stopBroker(id: number): Promise<void>;
  stop(): Promise<void>;
}

const NAMES = ['kafka-1', 'kafka-2', 'kafka-3'];
const report = (): void => undefined;

/** `settings`: of all brokers. */
export async function startThreeBrokers(settings: Record<string, string> = {}): Promise<ThreeBrokers> {
  const stateDir = mkdtempSync(join(tmpdir(), 'jobledger-brokers-'));
  const { specs, addresses, account } = await kafkaBrokers(stateDir, NAMES, { report, settings });
  const supervisor = createSupervisor({ runDir: join(stateDir, 'run'), logsDir: stateDir, report });
  await Promise.all(specs.map((spec) => supervisor.start(spec)));
  return {
    variables: kafkaVariables({ kafkaBrokers: addresses.join(','), kafkaAccount: account }),
    stopBroker: (id) => supervisor.halt(`kafka-${id}`),
    async stop() {
      await supervisor.stop();
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
}
