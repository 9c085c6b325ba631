import type { AnswerRow } from '#lib/xml/answer-rows.ts'
import type { SentValues } from '../api/catalogue.ts'
import type { FormField } from './send-form.tsx'

export const NEW_FIELDS: readonly FormField[] = [
  { name: 'description', label: 'Description' },
  { name: 'type', label: 'Type', placeholder: 'SIP' },
  { name: 'extension', label: 'Extension', hint: 'Blank: the lowest free number.' },
  { name: 'pin', label: 'PIN', isSecret: true, hint: 'Blank: four random digits.' },
  { name: 'caller_id', label: 'Caller id', hint: 'Digits and dots.' },
]

export const EDIT_FIELDS: readonly FormField[] = [
  { name: 'device_name', label: 'Name', hint: 'The device registers with it.' },
  { name: 'password', label: 'Secret', isSecret: true, hint: 'Blank: the stored one stays.' },
  { name: 'extension', label: 'Extension' },
  { name: 'pin', label: 'PIN', isSecret: true },
  { name: 'callerid_name', label: 'Caller name' },
  { name: 'callerid_number', label: 'Caller number' },
  { name: 'call_limit', label: 'Call limit', hint: 'Simultaneous calls; 0 for no limit.' },
  { name: 'transport', label: 'Transport', choices: ['udp', 'tcp', 'udp,tcp', 'tcp,udp', 'tls'] },
  { name: 'comment', label: 'Comment' },
]

/** The parameters of device_update as a device has them, from the columns of device_details_get. */
export function storedValues(device: AnswerRow): SentValues {
  const { name = '', extension = '', pin = '', call_limit = '', transport = '', comment = '' } = device
  const { callerid = '' } = device
  const [bracketed = '', callerid_number = ''] = /<([^<>]*)>$/.exec(callerid) ?? []
  const callerid_name = callerid
    .slice(0, callerid.length - bracketed.length)
    .trim()
    .replace(/^"|"$/g, '')
  return {
    device_name: name,
    extension,
    pin,
    callerid_name,
    callerid_number,
    call_limit,
    transport,
    comment,
  }
}
