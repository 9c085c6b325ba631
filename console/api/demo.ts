const inPage = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''

/** The secret key of the demo, which the server writes into the page where it serves the demo's data, and only there. */
export const demoKeyInPage = (): string => inPage('demo-key')

/** The password of the demo's admin, in the same way. */
export const demoPasswordInPage = (): string => inPage('demo-password')
