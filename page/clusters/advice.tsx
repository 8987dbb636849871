import type { ReactElement } from 'react';
import { CopyableText } from '../components/copied.tsx';
import type { Advice } from './health.ts';

/** The advice about a part that is red. */
export function AdviceBox({ advice, tone }: { advice: Advice | null; tone: string }): ReactElement | null {
  if (advice === null) return null;
  return (
    <div className={`advice tone-${tone}`}>
      <p>{advice.message}</p>
      <CopyableText text={advice.command} />
    </div>
  );
}
