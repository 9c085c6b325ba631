import { countOf, defineFields, flagOf, wordAmong } from '#lib/domain/fields.ts'
import { isDigits, TRANSPORTS } from './device.ts'
import { languageCode } from './language.ts'

const asSent = (text: string): string => text

/** The fields stand in the order in which device_update refuses them (wire.md device_update). */
export const deviceFields = defineFields({
  language: { read: languageCode, refusal: 'Language is invalid' },
  pin: {
    read: (text) => (text === '' || isDigits(text) ? text : undefined),
    refusal: 'Pin must be numeric',
  },
  call_timeout: {
    column: 'max_timeout',
    read: (text) => countOf(text),
    refusal: 'Device Call Timeout must be greater than or equal to 0',
  },
  call_limit: { read: (text) => countOf(text), refusal: 'Call limit must be a number' },
  transport: { read: (text) => wordAmong(TRANSPORTS, text) },
  encryption: { read: flagOf },
  hidden: { read: flagOf },
  devicegroup_id: { read: (text) => countOf(text) },
  fromuser: { read: asSent },
  comment: { read: asSent },
  description: { read: asSent },
})
