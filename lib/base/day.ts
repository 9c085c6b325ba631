/** Returns whether a text is a day, `YYYY-MM-DD`. JavaScript moves an invalid day into the next month. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  new Date(text).toISOString().startsWith(text)
