import languages from 'iso-639-1'

/** The ISO 639-1 code of a language given by code or English name, in any case; blank stays blank. */
export function languageCode(word: string): string | undefined {
  const wanted = word.trim().toLowerCase()
  if (wanted === '' || languages.validate(wanted)) return wanted
  return languages.getAllCodes().find((code) => languages.getName(code).toLowerCase() === wanted)
}
