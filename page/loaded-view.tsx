import { useEffect, useState, type ComponentType, type ReactElement } from 'react';
import { Failure } from './components/failure.tsx';
import { Loading } from './components/loading.tsx';

/** A view, with the function that loads its code before the view is shown. */
export type LoadedView<Props> = ((props: Props) => ReactElement) & { load: () => Promise<void> };

/**
 * Creates a view whose code is loaded on demand. React's `lazy` would show the fallback for 0.3 s, even if the code arrived at once.
 */
export function loadedView<Props extends object>(
  read: () => Promise<ComponentType<Props>>,
): LoadedView<Props> {
  let Found: ComponentType<Props> | null = null;
  let reading: Promise<void> | null = null;
  // Loads the code of the view once; a failed attempt can be repeated.
  const load = (): Promise<void> => {
    reading ??= read().then(
      (found) => void (Found = found),
      (error: unknown) => {
        reading = null;
        throw error;
      },
    );
    return reading;
  };
  // Shows the view, or a placeholder until its code is loaded.
  function View(props: Props): ReactElement {
    const [state, setState] = useState<'loading' | 'loaded' | Error>('loading');
    useEffect(() => {
      if (Found === null)
        load().then(
          () => setState('loaded'),
          (error: unknown) => setState(error instanceof Error ? error : new Error(String(error))),
        );
    }, []);
    if (Found !== null) return <Found {...props} />;
    return (
      <main className="view">
        {state instanceof Error ? <Failure error={state} /> : <Loading rows={6} height={40} />}
      </main>
    );
  }
  return Object.assign(View, { load });
}
