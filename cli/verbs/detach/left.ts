import { OWN_MANAGER } from '../../../workflows/kubernetes/names.ts';
import { countText } from '../../print/counted.ts';
import { fullName } from './full-names.ts';
import { sumPlan, type DetachPlan } from './plan.ts';
import type { Controlled } from './surveyed.ts';

/** An object that a detachment leaves, with the way to remove it. */
export interface Left {
  what: string;
  todo: string;
}

/** The places of the objects and data that a detachment does not change. */
export interface Whereabouts extends Controlled {
  cluster: string;
  lease: { namespace: string; name: string };
  /** Topics of this installation in Kafka. */
  topics: readonly string[];
  gangs: boolean;
}

/** Every object that is left after a detachment. */
export function leftAfter(plan: DetachPlan, where: Whereabouts): Left[] {
  return [
    ...leftOfJobs(plan, where),
    ...leftOfPlacedJobs(plan),
    ...leftOfMembers(plan, where),
    ...leftOfCronJobs(plan),
    ...leftInCluster(plan, where),
    ...leftOnServers(where),
  ];
}

/** The placed Jobs that remain in the cluster, with their members. */
function leftOfPlacedJobs({ placed }: DetachPlan): Left[] {
  return placed.map(({ open, members, ...job }) => {
    const [fate, todo] = open
      ? ['which has no controller', 'or install Jobledger again']
      : ['which has finished', 'when you no longer need the logs'];
    return members.length === 0
      ? { what: `placed Job ${fullName(job)}, ${fate}`, todo: `delete it, ${todo}` }
      : {
          what: `placed Job ${fullName(job)}, ${fate}, and its members ${members.join(', ')}`,
          todo: `no controller deletes the members with the placed Job: delete all of them, ${todo}`,
        };
  });
}

/** The members of placed Jobs that remain in the cluster. */
function leftOfMembers({ members }: DetachPlan, { cluster }: Whereabouts): Left[] {
  return members.map(({ open, home, ...job }) => ({
    what: `Job ${fullName(job)}, ${open ? 'an open' : 'a finished'} member of the placed Job ${home}`,
    todo: open
      ? `run "jobledger clusters drain ${cluster} --wait" before the detachment, so that the placed Job moves; or "jobledger clusters lost ${cluster} --force" once its pods have ended`
      : `the home of the placed Job deletes it, as long as its workers reach this cluster`,
  }));
}

/** The open Jobs and the Jobs being deleted that remain in the cluster. */
function leftOfJobs(plan: DetachPlan, { claim }: Whereabouts): Left[] {
  const { openJobCount } = sumPlan(plan);
  const deleting = plan.jobs.filter((job) => job.deleting).length;
  const builtIn =
    claim === 'all'
      ? `; once the built-in Job controller is switched on again, it continues the Jobs that do not name ${OWN_MANAGER}`
      : '';
  return [
    ...(openJobCount === 0
      ? []
      : [
          {
            what: `${countText(openJobCount, 'open Job')} without a controller`,
            todo: `delete them, or install Jobledger again${builtIn}`,
          },
        ]),
    ...(deleting === 0
      ? []
      : [
          {
            what: `${countText(deleting, 'Job')} being deleted`,
            todo: 'wait until their pods are deleted; Kubernetes then deletes these Jobs',
          },
        ]),
  ];
}

/** The CronJobs that start no Jobs, or whose Jobs no controller runs. */
function leftOfCronJobs({ stopped, creating }: DetachPlan): Left[] {
  return [
    ...stopped.map((name) => ({
      what: `CronJob ${name}, which starts no more Jobs`,
      todo: 'switch the built-in CronJob controller on again',
    })),
    ...creating.map((name) => ({
      what: `CronJob ${name}, whose Jobs name Jobledger and therefore have no controller`,
      todo: 'remove spec.jobTemplate.spec.managedBy, or suspend the CronJob',
    })),
  ];
}

/** The objects of Jobledger that remain in the cluster. */
function leftInCluster({ kept }: DetachPlan, { lease, gangs, claim }: Whereabouts): Left[] {
  return [
    ...kept.map((pod) => ({
      what: `pod ${pod} of another controller, with our finalizer`,
      todo: 'find out who set the finalizer, and remove it with kubectl patch',
    })),
    ...(gangs
      ? [{ what: 'Workloads and PodGroups of gangs', todo: 'they are deleted with their Jobs' }]
      : []),
    ...(claim === 'all'
      ? [{ what: 'the built-in Job controller, which is switched off', todo: 'switch it on again' }]
      : []),
    {
      what: `the Lease ${lease.namespace}/${lease.name}`,
      todo: `kubectl -n ${lease.namespace} delete lease ${lease.name}`,
    },
    {
      what: 'services, accounts, and the admission policy that sets spec.managedBy of new Jobs in labelled namespaces',
      todo: 'run helm uninstall, or kubectl delete -f with the manifests',
    },
  ];
}

/** The data that remains in Kafka, Postgres and Temporal. */
function leftOnServers({ cluster, topics }: Whereabouts): Left[] {
  return [
    {
      what: `the ledger in Kafka: ${topics.join(', ')}`,
      todo: 'keep these topics: they contain the history, and a new installation of Jobledger continues with them',
    },
    { what: 'the tables: the schema jobledger in Postgres', todo: 'keep them, or drop the schema' },
    {
      what: `the waiting workflows of open Jobs in Temporal, whose ids begin with ${cluster}/`,
      todo: 'keep them if you will install Jobledger again, or terminate them with "temporal workflow terminate --query"',
    },
  ];
}
