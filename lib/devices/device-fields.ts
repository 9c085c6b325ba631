import languages from 'iso-639-1'
import { defineFields, flagOf, readCount, wordAmong } from '#lib/base/fields.ts'
import { isDigits, TRANSPORTS } from './device.ts'

const unchanged = (text: string): string => text

/** Fields are listed in the order in which device_update refuses them (wire.md device_update). */
export const deviceFields = defineFields({
  language: { read: languageCode, refusal: 'Language is invalid' },
  pin: {
    read: (text) => (text === '' || isDigits(text) ? text : undefined),
    refusal: 'Pin must be numeric',
  },
  call_timeout: {
    column: 'max_timeout',
    read: (text) => readCount(text),
    refusal: 'Device Call Timeout must be greater than or equal to 0',
  },
  call_limit: { read: (text) => readCount(text), refusal: 'Call limit must be a number' },
  transport: { read: (text) => wordAmong(TRANSPORTS, text) },
  encryption: { read: flagOf },
  hidden: { read: flagOf },
  devicegroup_id: { read: (text) => readCount(text) },
  fromuser: { read: unchanged },
  comment: { read: unchanged },
  description: { read: unchanged },
})

/** The ISO 639-1 code of a language given by code or English name, in any case. Blank stays blank. */
export function languageCode(word: string): string | undefined {
  const wanted = word.trim().toLowerCase()
  if (wanted === '' || languages.validate(wanted)) return wanted
  return languages.getAllCodes().find((code) => languages.getName(code).toLowerCase() === wanted)
}
