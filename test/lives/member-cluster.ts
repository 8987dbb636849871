import type { Condition, Job, JobStatus, Pod } from '../../workflows/kubernetes/objects.ts';
import type { Server } from './a-server.ts';
import { indexesIn, indexesText } from './indexes.ts';
import type { Draw } from './life.ts';

/** The life of one container, which nothing but time changes. */
export interface MemberRun {
  cluster: string;
  member: string;
  /** Of the member. */
  uid: string;
  index: number;
  from: number;
  until: number | null;
  ok: boolean;
  /** Another client has resumed the member, or restored its cluster: nobody can keep the member from running. */
  isByHand: boolean;
}

/** A pod and its container. */
interface Container {
  pod: Pod;
  run: MemberRun;
  endAt: number;
  killAt?: number;
  ends: 'Succeeded' | 'Failed';
  isCounted?: true;
}

/** The facts that the controller of a member remembers. */
interface Memory {
  done: Set<number>;
  failedBefore: number;
  failed: number;
  kept?: { number: number; indexes: number[]; end: string | undefined };
}

/** A cluster with the controllers of members and guards, the garbage collector and the kubelets. */
export interface Cluster {
  server: Server;
  tick(): void;
  /** Another client resumes this member. */
  resumedByHand(member: Job): void;
  /** Remembers the present; the result puts it back when the API server is restored from a copy. */
  copy(): () => void;
}

const SECOND = 1000;
/** `activeDeadlineSeconds` of a pod, which the kubelet counts. */
const POD_DEADLINE_MS = 15 * SECOND;

export function aCluster(
  server: Server,
  {
    draw,
    endsAfter,
    runs,
    now,
    home,
    report,
    answered,
  }: {
    draw: Draw;
    /** The time that a container takes to end when asked to, in milliseconds, at most the given time. */
    endsAfter: (most: number) => number;
    runs: MemberRun[];
    now: () => number;
    home: string;
    report: (text: string) => void;
    /** The controller of a member has written its status. */
    answered: (member: Job) => void;
  },
): Cluster {
  const { cluster, jobs } = server;
  let containers: Container[] = [];
  const memories = new Map<string, Memory>();
  const byHand = new Set<string>();
  let pods = 0;
  const time = (): string => new Date(Math.floor(now() / SECOND) * SECOND).toISOString();
  const isGuard = ({ metadata }: Job): boolean => metadata.name.endsWith('-guard');
  const isMember = ({ metadata }: Job): boolean =>
    metadata.annotations?.['jobledger.dev/placed-for'] !== undefined;
  const hasUid = (uid: string): boolean => [...jobs.values()].some(({ metadata }) => metadata.uid === uid);

  /** The built-in controller starts guards, and deletes them after their deadline. */
  const runGuards = (): void => {
    for (const guard of [...jobs.values()].filter(isGuard)) {
      const { startTime } = guard.status ?? {};
      if (startTime === undefined) {
        guard.status = { startTime: time() };
        Object.assign(guard.metadata, { managedFields: [{ manager: 'built-in', subresource: 'status' }] });
        server.touch(guard);
      } else if (now() >= Date.parse(startTime) + (guard.spec.activeDeadlineSeconds ?? 0) * SECOND) {
        report(`the guard ${cluster}/${guard.metadata.name} has expired`);
        server.remove(guard);
      }
    }
  };

  /** An object goes when none of its owners lives; references to owners that are gone are removed. */
  const collect = (): void => {
    for (const job of jobs.values()) {
      const { ownerReferences = [], deletionTimestamp } = job.metadata;
      if (deletionTimestamp !== undefined && (job.metadata.finalizers ?? []).length === 0) server.remove(job);
      if (ownerReferences.length === 0) continue;
      const living = ownerReferences.filter(({ uid }) => hasUid(uid));
      if (living.length === 0) {
        report(`the collector deletes ${cluster}/${job.metadata.name}`);
        server.remove(job);
      } else if (living.length < ownerReferences.length) job.metadata.ownerReferences = living;
    }
  };

  const end = (container: Container, phase: 'Succeeded' | 'Failed'): void => {
    container.pod.status = { phase };
    container.run.until = now();
    container.run.ok = phase === 'Succeeded';
  };
  const isRunning = ({ run }: Container): boolean => run.until === null;
  const runContainers = (): void => {
    for (const container of containers.filter(isRunning)) {
      const { run, killAt, endAt, ends } = container;
      if (killAt === undefined && !hasUid(run.uid)) container.killAt = now() + SECOND + endsAfter(2 * SECOND);
      if (killAt !== undefined && now() >= killAt) end(container, 'Failed');
      else if (killAt === undefined && now() >= endAt) end(container, ends);
      else if (now() >= run.from + POD_DEADLINE_MS) end(container, 'Failed');
    }
  };

  const start = (member: Job, index: number): void => {
    const { uid, name } = member.metadata;
    pods += 1;
    const pod: Pod = {
      kind: 'Pod',
      metadata: {
        name: `${name}-${index}-${pods}`,
        namespace: 'team',
        uid: `${cluster}-pod-${pods}`,
        resourceVersion: '1',
        creationTimestamp: time(),
        labels: { 'batch.kubernetes.io/controller-uid': uid },
        annotations: { 'batch.kubernetes.io/job-completion-index': String(index) },
      },
      spec: { nodeName: 'n', containers: [] },
      status: { phase: 'Running' },
    };
    server.pods.set(pod.metadata.name, pod);
    const run = {
      cluster,
      member: name,
      uid,
      index,
      from: now(),
      until: null,
      ok: false,
      isByHand: byHand.has(uid),
    };
    runs.push(run);
    containers.push({
      pod,
      run,
      endAt: now() + SECOND + draw.next() * 9 * SECOND,
      ends: draw.chance(0.85) ? 'Succeeded' : 'Failed',
    });
  };

  /** A guarded member gets no pods without its guard, or after the guard's deadline. */
  const mayStart = ({ metadata }: Job): boolean => {
    const uid = metadata.annotations?.['jobledger.dev/guarded'];
    if (uid === undefined) return true;
    const guard = [...jobs.values()].find((each) => each.metadata.uid === uid);
    if (guard?.status?.startTime === undefined) return false;
    return now() < Date.parse(guard.status.startTime) + (guard.spec.activeDeadlineSeconds ?? 0) * SECOND;
  };

  const control = (member: Job): void => {
    const { uid } = member.metadata;
    const { spec, status = {} } = member;
    const completions = spec.completions ?? 1;
    const mine = containers.filter(({ run }) => run.uid === uid);
    const kill = (some: readonly Container[]): void => {
      for (const container of some) container.killAt ??= now() + 300 + endsAfter(1500);
    };
    const running = mine.filter(isRunning);
    const active = running.filter(({ killAt }) => killAt === undefined);
    const memory = memories.get(uid) ?? {
      done: new Set<number>(),
      failedBefore: status.failed ?? 0,
      failed: 0,
    };
    memories.set(uid, memory);
    acknowledge(member, memory, running);
    for (const index of indexesIn(status.completedIndexes)) memory.done.add(index);
    memory.failedBefore = Math.max(memory.failedBefore, (status.failed ?? 0) - memory.failed);
    for (const container of mine) {
      const { phase } = container.pod.status ?? {};
      if (phase === 'Succeeded') memory.done.add(container.run.index);
      if (phase !== 'Failed' || container.isCounted === true) continue;
      container.isCounted = true;
      memory.failed += 1;
    }
    if ((status.conditions ?? []).some(({ type }) => ['Complete', 'Failed'].includes(type))) return;
    const done = [...memory.done].filter((index) => index < completions);
    const failed = memory.failedBefore + memory.failed;
    const ending =
      memory.kept?.end ??
      (done.length >= completions && active.length === 0
        ? 'Complete'
        : failed > (spec.backoffLimit ?? 6)
          ? 'Failed'
          : undefined);
    if (ending !== undefined || spec.suspend === true) kill(active);
    else {
      const parallelism = spec.parallelism ?? 1;
      const free = Array.from({ length: completions }, (_none, index) => index).filter(
        (index) =>
          !memory.done.has(index) &&
          (memory.kept === undefined || memory.kept.indexes.includes(index)) &&
          !running.some(({ run }) => run.index === index),
      );
      const room = Math.max(0, parallelism - running.length);
      if (mayStart(member)) for (const index of free.slice(0, room)) start(member, index);
      kill(active.slice(parallelism));
    }
    show(member, memory, { ending, done, failed });
  };

  const acknowledge = (member: Job, memory: Memory, running: readonly Container[]): void => {
    const text = member.metadata.annotations?.['jobledger.dev/indexes'] ?? '';
    const [, number, indexes, ending] = /^(\d+):([-\d,]*)(?::(Complete|Failed))?$/.exec(text) ?? [];
    if (number === undefined || Number(number) <= (memory.kept?.number ?? 0)) return;
    const begun = running.map(({ run }) => run.index);
    memory.kept = {
      number: Number(number),
      indexes: [...new Set([...indexesIn(indexes), ...begun])],
      end: ending,
    };
  };

  const show = (
    member: Job,
    { kept }: Memory,
    { ending, done, failed }: { ending: string | undefined; done: number[]; failed: number },
  ): void => {
    const { spec, status = {} } = member;
    const { uid } = member.metadata;
    const running = containers.filter((container) => container.run.uid === uid && isRunning(container));
    const active = running.filter(({ killAt }) => killAt === undefined).length;
    const condition = (type: string, is: string, message = ''): Condition => ({
      type,
      status: is,
      reason: type,
      message,
      lastTransitionTime: time(),
    });
    const before = new Map((status.conditions ?? []).map((each) => [each.type, each]));
    const conditions = [...before.values()].filter(
      ({ type }) => !['Suspended', 'jobledger.dev/Indexes'].includes(type),
    );
    if (ending !== undefined && running.length === 0)
      for (const type of ending === 'Failed'
        ? ['FailureTarget', 'Failed']
        : ['SuccessCriteriaMet', 'Complete'])
        conditions.push(condition(type, 'True', 'the end'));
    const isSuspended = spec.suspend === true && ending === undefined;
    if (isSuspended || before.has('Suspended'))
      conditions.push(asBefore(before, condition('Suspended', isSuspended ? 'True' : 'False')));
    if (kept !== undefined) {
      const text = `${kept.number}:${indexesText(kept.indexes)}${kept.end === undefined ? '' : `:${kept.end}`}`;
      conditions.push(asBefore(before, condition('jobledger.dev/Indexes', 'True', text)));
    }
    const next: JobStatus = {
      ...(conditions.length > 0 && { conditions }),
      ...(!isSuspended && { startTime: status.startTime ?? time() }),
      ...(ending === 'Complete' && running.length === 0 && { completionTime: time() }),
      ...(active > 0 && { active }),
      ready: active,
      terminating: running.length - active,
      ...(done.length > 0 && { succeeded: done.length, completedIndexes: indexesText(done) }),
      ...(failed > 0 && { failed }),
    };
    if (JSON.stringify(next) === JSON.stringify(status)) return;
    member.status = next;
    server.touch(member);
    answered(member);
  };

  return {
    server,
    tick() {
      runGuards();
      collect();
      runContainers();
      for (const job of jobs.values()) if (isMember(job) && !isGuard(job)) control(job);
    },
    resumedByHand: ({ metadata }) => void byHand.add(metadata.uid),
    copy() {
      const thenMemories = structuredClone(memories);
      const thenUids = new Set(containers.filter(isRunning).map(({ pod }) => pod.metadata.uid));
      return () => {
        memories.clear();
        for (const [uid, memory] of thenMemories) memories.set(uid, memory);
        // Containers that run now have no object any more, and a kubelet ends them; containers that ran then are seen as failed.
        for (const container of containers.filter(isRunning))
          container.killAt ??= now() + SECOND + endsAfter(2 * SECOND);
        containers = containers.filter((container) => {
          const { pod, run } = container;
          const stored = server.pods.get(pod.metadata.name);
          if (stored === undefined) return run.until === null;
          container.pod = stored;
          if (thenUids.has(pod.metadata.uid) && run.until !== null) stored.status = { phase: 'Failed' };
          return true;
        });
        for (const { metadata } of jobs.values())
          if (cluster !== home || isMemberUid(metadata.uid)) byHand.add(metadata.uid);
      };
    },
  };

  function isMemberUid(uid: string): boolean {
    return [...jobs.values()].some((job) => job.metadata.uid === uid && isMember(job));
  }
}

/** A condition that stays as it is keeps its time. */
function asBefore(before: ReadonlyMap<string, Condition>, next: Condition): Condition {
  const known = before.get(next.type);
  return known?.status === next.status && known.message === next.message ? known : next;
}
