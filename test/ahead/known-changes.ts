import { rulesQuoting } from './quoting-rules.ts';
import { report } from './report.ts';
import { readSources } from './sources.ts';

/**
 * `npm run test:ahead`: whether the comparison of two real versions finds what is known to have changed between them. Downloads
 * the sources of both. Prints each known change that is missing from the report, and exits with 1.
 */
const [FROM, TO] = ['1.36.3', '1.37.2'];

const KNOWN: Record<string, RegExp> = {
  'the failure policy alone no longer means "replace failed pods only"':
    /pkg\/controller\/job` changed: `onlyReplaceFailedPods` \(.*-podFailurePolicy/,
  'the gate of podReplacementPolicy is gone': /`JobPodReplacementPolicy`: gone/,
  'the gate of successPolicy is gone': /`JobSuccessPolicy`: gone/,
  'the gate of backoffLimitPerIndex is gone': /`JobBackoffLimitPerIndex`: gone/,
  'the gate of logarithmic scaling down is gone': /`LogarithmicScaleDown`: gone/,
  'expectations are dropped with the Job': /pkg\/controller\/job` changed: .*`Controller.deleteJob`/,
  'orphans are tried again with a back-off':
    /pkg\/controller\/job` changed: .*`Controller.enqueueOrphanPod`.*`Controller.syncOrphanPodsBySelector`/,
  'children of a CronJob are found by UID':
    /pkg\/controller\/cronjob` new: `ControllerV2.getCronJobJobsByIndexer`/,
  'an existing Job is looked up in the namespace of the CronJob':
    /pkg\/controller\/cronjob` changed: .*`ControllerV2.syncCronJob`/,
  'spec.scheduling of a Job: policy, topology, disruption mode, claims':
    /Job `spec.scheduling`: new \(WorkloadWithJob\).*\{basic, gang \{minCount\}\}.*\{topology \{key\}\}.*disruptionMode.*resourceClaims/,
  'spec.scheduling is immutable except minCount':
    /spec.scheduling`.*schedulingPolicy \(update=NoSet.*gang \{minCount\}.*schedulingConstraints \(immutable\).*disruptionMode \(immutable\).*resourceClaims \(immutable\)/,
  'its text says so': /immutable after creation; only schedulingPolicy\.gang\.minCount may be updated/,
  'evictionResponders of a pod, redacted today':
    /Pod `spec.evictionResponders\[\]`: new \(EvictionRequestAPI\).*today \*\*redacted\*\*/,
  'scheduling.k8s.io/v1alpha2 is gone':
    /\*\*scheduling.k8s.io\/v1alpha2\*\* is gone: gone PodGroup, Workload.*J-8.1/,
  'scheduling.k8s.io/v1beta1 has Workload and PodGroup':
    /\*\*scheduling.k8s.io\/v1beta1\*\*: new PodGroup, Workload/,
  'a PodGroup names its Workload by workloadRef':
    /PodGroup .*v1beta1\) `spec.workloadRef`: new.*\{workloadName, templateName\}/,
  'podGroupTemplateRef is gone': /PodGroup .*v1beta1\) `spec.podGroupTemplateRef`: gone.*J-8.5/,
  'the gate GangScheduling is gone': /`GangScheduling`: gone/,
  'GenericWorkload is beta and off': /`GenericWorkload`: Alpha, off → Beta, off/,
  'every Job without a controller gets a Workload': /pkg\/controller\/job` new: .*`getManagementMode`/,
  'the earlier choice of Jobs is gone': /pkg\/controller\/job\/util` gone: `IsGangSchedulingCandidate`/,
  'the annotation group-template-name': /GroupTemplateNameAnnotation = .*\/group-template-name/,
  'the Event PodGroupCreated': /Event PodGroupCreated: /,
  'the Event FailedWorkloadCreate': /Event FailedWorkloadCreate: /,
  'the Event FailedWorkloadCompilation': /Event FailedWorkloadCompilation: /,
  'rights on workloads': /job-controller on workloads: \+patch \+update/,
  'rights on podgroups': /job-controller on podgroups: \+patch \+update/,
  'the admission plugin about parallelism is gone': /plugin\/pkg\/admission\/job` is gone/,
  'its name JobValidation is gone': /gone: "job.PluginName = JobValidation"/,
};

const lines = report(readSources(FROM), readSources(TO), rulesQuoting()).split('\n');
const missing = Object.keys(KNOWN).filter((change) => !lines.some((line) => KNOWN[change]?.test(line)));
for (const change of missing) process.stdout.write(`not found: ${change}: ${String(KNOWN[change])}\n`);
const found = Object.keys(KNOWN).length - missing.length;
process.stdout.write(`${found} known changes found, ${missing.length} missing, in ${lines.length} lines\n`);
process.exitCode = missing.length === 0 ? 0 : 1;
