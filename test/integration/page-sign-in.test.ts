import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { oidcSource } from '../../services/api/access/oidc.ts';
import { providerOfPage } from '../../services/api/access/provider-of-page.ts';
import { startIdentityProvider, type IdentityProvider } from '../support/identity-provider.ts';
import { inChromium, pageInBrowser } from '../support/page-in-browser.ts';

jest.setTimeout(120_000);

let provider: IdentityProvider;
const shown = pageInBrowser();
const { visit, violations, url } = shown;

beforeAll(() =>
  shown.start(async () => {
    provider = await startIdentityProvider({ sub: 'alice', groups: ['team'] });
    const { issuer } = provider;
    return {
      ask: () => Promise.reject(new Error('nothing is asked for here')),
      people: [
        oidcSource({
          issuer,
          audience: 'jobledger-page',
          nameClaim: 'sub',
          groupsClaim: 'groups',
          prefix: 'oidc:',
        }),
      ],
      settings: {
        provider: providerOfPage({
          JOBLEDGER_API_OIDC_ISSUER: issuer,
          JOBLEDGER_API_OIDC_CLIENT_ID: 'jobledger-page',
          JOBLEDGER_API_OIDC_SCOPE: 'openid groups',
        }),
        logUrl: null,
      },
    };
  }),
);
afterAll(() => provider?.close());

inChromium('in Chromium, with an identity provider,', () => {
  it('signing in leads to the provider and back to the requested view, with a token that is kept in memory only', async () => {
    const { page, context } = await visit({ search: '?view=clusters', token: null });
    const signIn = page.getByRole('button', { name: /^Sign in with 127\.0\.0\.1/ });
    await signIn.click();
    await page.getByRole('heading', { name: 'Clusters' }).waitFor();
    await page.getByText('Account of oidc:alice').waitFor({ state: 'attached' });
    expect(page.url()).toBe(`${url()}/ui/?view=clusters`);
    const [asked] = provider.asked;
    expect(asked?.get('code_challenge')).toMatch(/^[\w-]{43}$/);
    expect(asked?.get('redirect_uri')).toBe(`${url()}/ui/`);
    const kept = (await page.evaluate(
      'JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie])',
    )) as string;
    expect(kept).toBe('[{"jobledger-provider":"yes"},{},""]');

    // After a reload, the page has forgotten the token, and goes to the provider again by itself.
    await page.reload();
    await page.getByText('Account of oidc:alice').waitFor({ state: 'attached' });
    expect(provider.asked).toHaveLength(2);
    expect(new Set(provider.asked.map((query) => query.get('state'))).size).toBe(2);

    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await signIn.waitFor();
    expect(provider.asked).toHaveLength(2);
    await context.close();
  });

  it('the page refuses a response of the provider to another attempt, and shows the error in a response', async () => {
    const { page, context } = await visit({ token: null });
    await page.getByRole('button', { name: /^Sign in with/ }).waitFor();
    const attempt = { verifier: 'v', state: 'mine', search: '' };
    await page.evaluate(`sessionStorage.setItem('jobledger-sign-in', '${JSON.stringify(attempt)}')`);
    await page.goto(`${url()}/ui/?code=x&state=of-another`);
    await page.getByRole('alert').filter({ hasText: 'belongs to another attempt' }).waitFor();
    await page.evaluate(`sessionStorage.setItem('jobledger-sign-in', '${JSON.stringify(attempt)}')`);
    await page.goto(`${url()}/ui/?error=access_denied&error_description=not+today&state=mine`);
    await page.getByRole('alert').filter({ hasText: 'refused: not today' }).waitFor();
    expect(page.url()).toBe(`${url()}/ui/`);
    await context.close();
  });

  it('the page breaks no rule of its content security policy while a user signs in', () => {
    expect(violations).toEqual([]);
  });
});
