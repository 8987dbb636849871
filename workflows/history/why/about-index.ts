import { refusal, type Refused } from '../refused.ts';
import { unfitIndex } from '../unfit-index.ts';
import { podsIn, storyOfPod } from './about-pod.ts';
import type { Origins } from './origins.ts';
import type { StreamIndex } from './stream-index.ts';
import type { PartialAnswer, Wait } from './types.ts';

/** The reasons for each pod of a completion index: its creation, its end, and its count. */
export function aboutIndex(stream: StreamIndex, origins: Origins, index: number): PartialAnswer | Refused {
  const last = stream.events.findLast((event) => event.type === 'job.observed');
  const unfit = unfitIndex(last?.data.object.spec, index);
  if (unfit !== null) return refusal('unknown', unfit);
  const pods = podsIn(stream).filter((pod) => pod.index === index);
  const succeeded = pods
    .flatMap(({ events }) => events)
    .find((event) => event.type === 'pod.observed' && event.data.object.status?.phase === 'Succeeded');
  const until = succeeded === undefined ? Infinity : Date.parse(succeeded.time);
  return {
    about: `index ${index}`,
    answers: pods.flatMap((pod) =>
      storyOfPod(stream, origins, pod).map((answer) => ({
        ...answer,
        question: `pod ${pod.name}: ${answer.question}`,
      })),
    ),
    concerns: ({ since }: Wait) => Date.parse(since) <= until,
  };
}
