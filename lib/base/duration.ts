/** Longer texts are not lengths. */
const MAX_CHARACTERS = 40

/**
 * The seconds of a length of time, with fractions; `undefined` for another text. Reads seconds (`125`,
 * `60.25`, `60,5`, `60s`), a clock text (`00:02:05`, `2:05`, `1.00:02:05` or `1 day, 0:02:05`), and units
 * (`PT2M5S` of ISO 8601, `2m 5s`), but no comma before three digits, which may separate thousands, and no part of a day.
 */
export function durationOf(text: string): number | undefined {
  if (text.length > MAX_CHARACTERS || OF_A_DAY.test(text)) return undefined
  const parts = [SECONDS, CLOCK, UNITS].map((form) => form.exec(text)).find((found) => found !== null)
  const { d = '0', h = '0', m = '0', s = '0' } = parts?.groups ?? {}
  if (!parts || !/\d/.test(text)) return undefined
  return Number(d) * 86_400 + Number(h) * 3600 + Number(m) * 60 + Number(s.replace(',', '.'))
}

/** A spreadsheet saves 00:01:00 as `0.000694444444444444`, a part of a day. */
const OF_A_DAY = /^0?[.,](?=0*[1-9])\d{9,}$/

const SECONDS = /^(?<s>\d{1,9}(?:\.\d+|,\d{1,2}|,\d{4,})?)(?: ?s(?:ec(?:ond)?s?)?)?$/i

/** Minutes and seconds, after hours, after days. */
const CLOCK =
  /^(?:(?:(?<d>\d{1,4})(?:\.| days?,? ))?(?<h>\d{1,4}):(?=[0-5]\d:))?(?<m>\d{1,4}):(?<s>[0-5]\d(?:[.,]\d+)?)$/i

const UNITS =
  /^P?(?:(?<d>\d{1,4}) ?d(?:ays?)?,? ?)?T?(?:(?<h>\d{1,5}) ?h(?:ours?|rs?)? ?)?(?:(?<m>\d{1,6}) ?m(?:in(?:ute)?s?)? ?)?(?:(?<s>\d{1,9}(?:[.,]\d+)?) ?s(?:ec(?:ond)?s?)?)?$/i
