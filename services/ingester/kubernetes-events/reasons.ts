/**
 * How the text of an Event is recorded. `whole`: the text comes from the scheduler, an autoscaler or a node controller,
 * which the status of the pod also quotes. `phrases`: the text may quote the output of a program, a command line or the
 * answer of a registry, so only known phrases are recorded (decision 91).
 */
type RecordedText = 'whole' | 'phrases';

/**
 * The reasons of the recorded Events. The status of a pod shows what the reasons `Scheduled`, `Pulled`, `Created`,
 * `Started` and `Killing` report, so these are left out.
 */
const REASONS: ReadonlyMap<string, RecordedText> = new Map([
  ['FailedScheduling', 'whole'],
  ['Preempted', 'whole'],
  ['TriggeredScaleUp', 'whole'],
  ['NotTriggerScaleUp', 'whole'],
  ['ScaleDown', 'whole'],
  ['Evicted', 'whole'],
  ['TaintManagerEviction', 'whole'],
  ['NodeNotReady', 'whole'],
  ['FailedMount', 'phrases'],
  ['FailedAttachVolume', 'phrases'],
  ['FailedMapVolume', 'phrases'],
  ['FailedCreatePodSandBox', 'phrases'],
  ['NetworkNotReady', 'phrases'],
  ['BackOff', 'phrases'],
  ['Failed', 'phrases'],
  ['Unhealthy', 'phrases'],
]);

/** How the text of an Event with this reason is recorded; undefined when Events with the reason are not recorded. */
export function recordedText(reason: string): RecordedText | undefined {
  return REASONS.get(reason);
}

export const RECORDED_REASONS: readonly string[] = [...REASONS.keys()];

/** The most common reasons that are not recorded, which the API server leaves out of lists and watches. */
export const COMMON_REASONS: readonly string[] = [
  'Scheduled',
  'Pulling',
  'Pulled',
  'Created',
  'Started',
  'Killing',
  'SuccessfulCreate',
  'SuccessfulDelete',
  'Completed',
];

/**
 * The components of Jobledger's own Events, which have the names of the controllers that Jobledger replaces (J-7.2). The
 * ledger has the decisions behind these Events.
 */
export const OWN_COMPONENTS: readonly string[] = [
  'job-controller',
  'cronjob-controller',
  'jobledger-placement',
];
