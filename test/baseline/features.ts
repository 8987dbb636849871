import type { JobEvent } from '../../workflows/job/events.ts';

/** The kinds of records in a stream: types of events, kinds and rules of commands, outcomes, waits. */
export function streamFeatures(stream: readonly JobEvent[]): Set<string> {
  return new Set(stream.flatMap(featuresOfEvent));
}

function featuresOfEvent({ type, data }: JobEvent): string[] {
  const event = `event ${type}`;
  if (type === 'job.decided') {
    const commands = data.commands.map(({ kind, why }) => `command ${kind} by ${why.rule}`);
    const waiting = data.waiting === null ? [] : [`waiting by ${data.waiting.rule}`];
    return [event, ...commands, ...waiting, ...(data.foldedBefore.length > 0 ? ['decision in parts'] : [])];
  }
  if (type !== 'outcome.recorded') return [event];
  const { outcome } = data;
  const result =
    'result' in outcome ? [`outcome ${outcome.kind} ${outcome.result}`] : [`outcome ${outcome.kind}`];
  const pods =
    'pods' in outcome
      ? outcome.pods.map((pod) => `outcome ${outcome.kind} pod ${'result' in pod ? pod.result : 'read'}`)
      : [];
  return [event, ...result, ...pods];
}

/** A nearly smallest set of streams with all features of the given ones. */
export function covering(streams: readonly JobEvent[][]): JobEvent[][] {
  const left = streams.map((stream) => ({ stream, features: streamFeatures(stream) }));
  const wanted = new Set(left.flatMap(({ features }) => [...features]));
  const chosen: JobEvent[][] = [];
  while (wanted.size > 0) {
    const gain = ({ features, stream }: (typeof left)[number]): number =>
      [...features].filter((feature) => wanted.has(feature)).length / Math.sqrt(stream.length);
    const [best] = left.toSorted((a, b) => gain(b) - gain(a));
    if (best === undefined) break;
    for (const feature of best.features) wanted.delete(feature);
    chosen.push(best.stream);
  }
  return chosen;
}
