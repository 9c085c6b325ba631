const inPage = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''

/** The demo's secret key, written into the page only where the server has the demo's data. */
export const demoKeyInPage = (): string => inPage('demo-key')

/** The password of the demo's admin, in the same way. */
export const demoPasswordInPage = (): string => inPage('demo-password')
