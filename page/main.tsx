import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { Page } from './page.tsx';
import { isLasting } from './api/problem.ts';
import { ThemeRoot } from './theme/theme.tsx';

const place = document.querySelector('#page');
if (place === null) throw new Error('index.html has no element with the id "page"');

const queries = new QueryClient({
  defaultOptions: { queries: { staleTime: 60_000, retry: (count, error) => count < 3 && !isLasting(error) } },
});

createRoot(place).render(
  <QueryClientProvider client={queries}>
    <ThemeRoot>
      <Page />
    </ThemeRoot>
  </QueryClientProvider>,
);
