import type { PodFacts } from '../../job/facts.ts';
import type { Pod } from '../../kubernetes/objects.ts';
import { fieldChange, presentTexts } from './changes.ts';

/** The changes since the previous observation of a pod, as text. */
export function podText(before: PodFacts | null, now: PodFacts, object: Pod): string {
  const texts = [
    ...(before === null ? ['first seen'] : []),
    fieldChange('', before?.phase, now.phase)?.trim() ?? null,
    ...exitText(before, now, object),
    before?.scheduled !== true && now.scheduled === true ? `on ${object.spec.nodeName ?? 'a node'}` : null,
    readyText(before, now),
    fieldChange('restarts', before?.restarts ?? 0, now.restarts ?? 0),
    fieldChange('index', before?.index, now.index),
    before?.deleting !== true && now.deleting === true ? 'deletion asked for' : null,
    ...trackingText(before, now),
    waitingMessage(object),
  ];
  return presentTexts(texts).join(', ') || 'seen again: no change that matters to the Job';
}

/** The exit codes of the containers of a failed pod, as texts. */
function exitText(before: PodFacts | null, now: PodFacts, { status }: Pod): string[] {
  if (before?.phase === now.phase || now.phase !== 'Failed') return [];
  const exits = (now.exits ?? []).map(({ container, code }) => `${container} exited with ${code}`);
  const reason = [status?.reason, status?.message].filter((part) => (part ?? '') !== '').join(': ');
  return reason === '' ? exits : [...exits, reason];
}

/** The change of the readiness of a pod, as text; null when it has not changed. */
function readyText(before: PodFacts | null, now: PodFacts): string | null {
  const [was, is] = [before?.ready === true, now.ready === true];
  if (was === is) return null;
  return is ? 'ready' : 'no longer ready';
}

/** The change of the finalizer that keeps a pod until it is counted (J-4.30), as texts. */
function trackingText(before: PodFacts | null, now: PodFacts): string[] {
  const [was, is] = [before?.tracked === true, now.tracked === true];
  if (before === null) return is ? [] : ['without tracking finalizer'];
  if (was === is) return [];
  return is ? ['tracked by finalizer'] : ['released from its finalizer'];
}

interface Waiting {
  waiting?: { reason?: string; message?: string };
}

/** Reasons why containers cannot start; containers that are just starting are left out. */
function waitingMessage({ status }: Pod): string | null {
  const states = (status?.containerStatuses ?? []).map((each) => each.state as Waiting | undefined);
  const waiting = states.find((state) => state?.waiting !== undefined)?.waiting;
  if (waiting?.reason === undefined || /^(ContainerCreating|PodInitializing)$/.test(waiting.reason))
    return null;
  return `waits: ${waiting.reason}${waiting.message === undefined ? '' : `: ${waiting.message}`}`;
}
