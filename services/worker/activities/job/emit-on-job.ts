import type { EventOnJob } from '../../../adapters/kubernetes/events-on-job.ts';
import { errorMessage } from '../../../adapters/errors.ts';
import { emitEvents } from '../../command/emit-events.ts';
import type { CommandContext } from './command-context.ts';

/** The component in the Events is the component of the controller that Jobledger replaces (J-7.2). */
const COMPONENT = 'job-controller';

/**
 * Sends Kubernetes Events about the Job, which is read first, because each Event names the version that the Job has
 * now. A failure is only logged, as upstream (J-7.1); when the Job is gone or cannot be read, no Event is sent.
 */
export async function emitOnJob(context: CommandContext, events: readonly EventOnJob[]): Promise<void> {
  if (events.length === 0) return;
  const job = await context.recentJob().catch((error: unknown) => {
    const { namespace, name } = context.job;
    context.log.warn(
      { job: `${namespace}/${name}`, error: errorMessage(error) },
      'the Job could not be read, so it gets no Events',
    );
    return null;
  });
  if (job === null) return;
  const { resourceVersion } = job.metadata;
  await emitEvents({ ...context, component: COMPONENT, kind: 'Job', resourceVersion }, events);
}
