import { seededRandom } from '../support/random.ts';
import type { Place, Sentence } from './prose.ts';

const PLACES: readonly Place[] = ['docs', 'comments', 'help', 'messages'];

/** `count` sentences of each place, the same for the same seed. */
export function drawSample(sentences: readonly Sentence[], seed: number, count = 20): Sentence[] {
  const random = seededRandom(seed);
  return PLACES.flatMap((place) => {
    const left = sentences.filter((sentence) => sentence.place === place);
    return Array.from(
      { length: Math.min(count, left.length) },
      () => left.splice(Math.floor(random() * left.length), 1)[0],
    ).filter((sentence) => sentence !== undefined);
  });
}
