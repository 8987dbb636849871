import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { createSupervisor } from '../processes/supervisor.ts';
import { getOrMake, toolPath } from '../tools/cache.ts';
import { planKafkaServer } from './kafka.ts';
import { reservePorts } from '../state/ports.ts';
import type { PlanContext } from '../state/start-plan.ts';

/** Writing the archive takes a few seconds after the broker has stopped. */
const STOP_WITHIN_MS = 60_000;

/**
 * An archive of the classes that a broker loads, which saves almost half of the CPU time of a start. The archive is
 * made by a short run of a broker, once for these jars and this Java; Java ignores an archive that does not match.
 */
export async function kafkaClasses(
  found: { java: string; javaVersion: string; jars: string },
  { report, signal }: Pick<PlanContext, 'report' | 'signal'>,
): Promise<string> {
  const digest = createHash('sha256')
    .update(found.javaVersion)
    .update(found.jars)
    .update(readdirSync(found.jars).join())
    .digest('hex')
    .slice(0, 12);
  return getOrMake(toolPath('kafka-classes', digest), {
    report,
    signal,
    make: async (target, workDir) => {
      report('archiving the classes of Kafka (only once; the result is cached)');
      const port = await reservePorts(path.join(workDir, 'ports.json'), ['kafka', 'kafka-controller']);
      const ports = { port: port('kafka'), controllerPort: port('kafka-controller') };
      const { spec } = planKafkaServer({
        ...found,
        ...ports,
        stateDir: workDir,
        classes: `-XX:ArchiveClassesAtExit=${target}`,
      });
      const supervisor = createSupervisor({ runDir: workDir, logsDir: workDir, report });
      try {
        await supervisor.start({ ...spec, stopWithinMs: STOP_WITHIN_MS });
      } finally {
        await supervisor.stop();
      }
    },
  });
}
