/** The secret key of the demo, which the server writes into the page where it serves the demo's data, and only there. */
export const demoKeyInPage = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="demo-key"]')?.content ?? ''
