import type { Job } from '../../workflows/kubernetes/objects.ts';
import type { Change, Server } from './a-server.ts';

/** An ingester's watch of the Jobs of a cluster. */
export interface Watch {
  /** The watch reports nothing until it lists again. */
  breakOff(): void;
  isBroken(): boolean;
  /** Reports the existing objects, and the objects that are gone, at the version of the list. */
  list(): void;
}

/** Reports each change of a Job while it is not broken off. */
export function aWatch(server: Server, report: (change: Change) => void): Watch {
  let known = new Map<string, Job>();
  let isBroken = false;
  server.watch = (change) => {
    if (isBroken || change.kind === 'Pod') return;
    const job = change.object;
    if (change.type === 'gone') known.delete(job.metadata.uid);
    else known.set(job.metadata.uid, job);
    report(change);
  };
  return {
    breakOff: () => void (isBroken = true),
    isBroken: () => isBroken,
    list() {
      isBroken = false;
      server.grow();
      const before = known;
      known = new Map([...server.jobs.values()].map((job) => [job.metadata.uid, job]));
      for (const object of known.values()) report({ kind: 'Job', type: 'changed', object });
      const resourceVersion = String(server.version());
      for (const [uid, object] of before)
        if (!known.has(uid)) report({ kind: 'Job', type: 'gone', object, resourceVersion });
    },
  };
}
