import { DEVICE_TYPES, TRANSPORTS } from '#lib/devices/device.ts'
import { DEVICE_RULE_TYPES } from '#lib/devices/device-rule.ts'
import {
  type MethodWords,
  optionalWords,
  type ParameterWords,
  requiredWords,
  signedOnlyWords,
} from './words.ts'

const FLAG = ['1', '0'] as const

const device: ParameterWords = requiredWords('The device.', '20')

const shared = {
  extension: optionalWords(
    'The number under which the device is dialled. Digits, `*`, `#` and `+`; neither used by another device nor an emergency number.',
    '2150',
  ),
  pin: optionalWords('Digits; blank for none.', '4711'),
  language: optionalWords('The language of announcements: an English name or an ISO 639-1 code.', 'German'),
  fromuser: optionalWords('Replaces the user in the From header of SIP.', 'reception'),
  call_timeout: optionalWords('The time that the device rings, in seconds.', '30'),
} satisfies Record<string, ParameterWords>

export const deviceWords: MethodWords = {
  devices_get: {
    user_id: requiredWords('The customer whose devices are listed.', '10'),
    show_hidden_devices: {
      says: 'Whether devices that are hidden from the customer are listed.',
      default: 'they are listed',
      values: ['0 (they are left out)', 'anything else (they are listed)'],
      example: '0',
    },
  },
  device_details_get: {
    device_id: { ...device, required: 'without device_u' },
    device_u: {
      says: 'The name of the device; used when device_id is missing or names no device.',
      required: 'without device_id',
      example: '2020',
    },
  },
  device_create: {
    user_id: requiredWords('The account that owns the device.', '22'),
    type: {
      says: 'The type of the device, in upper or lower case.',
      default: 'the setting `Default_device_type`',
      values: DEVICE_TYPES,
      example: 'SIP',
    },
    extension: { ...shared.extension, default: 'the lowest free number of the range in the settings' },
    caller_id: optionalWords('The number that is shown to the called party. Digits and dots.', '12025550199'),
    pin: { ...shared.pin, default: 'four random digits' },
    language: shared.language,
    description: optionalWords('A note.', "Frank's desk"),
    fromuser: shared.fromuser,
    call_timeout: { ...shared.call_timeout, default: '0' },
    devicegroup_id: { says: 'The group of devices.', default: '0', example: '0' },
  },
  device_update: {
    device,
    device_name: optionalWords(
      'A new name to register with. Letters, digits, `.`, `@`, `$` and `-`; wins over username.',
      'bakery-shop',
    ),
    username: optionalWords('Another name for device_name.', 'bakery-shop'),
    password: optionalWords(
      'A new secret. Printable ASCII without spaces, quotes, backslash and `;`; at least 8 characters unless a setting allows fewer.',
      'Sourdough-2026',
    ),
    call_limit: optionalWords('The limit of simultaneous calls; 0 or blank for none.', '2'),
    call_timeout: shared.call_timeout,
    extension: shared.extension,
    fromuser: shared.fromuser,
    language: shared.language,
    pin: shared.pin,
    encryption: { says: 'Whether SRTP is used.', values: FLAG, example: '1' },
    transport: { says: 'The transport of SIP.', values: TRANSPORTS, example: 'tls' },
    hidden: { says: "Whether the device is hidden in the customer's portal.", values: FLAG, example: '0' },
    comment: optionalWords('A note.', 'On the new phone'),
    callerid_name: optionalWords(
      'The name that is shown to the called party; if it is not sent, the stored one stays.',
      'Crumb & Crust',
    ),
    callerid_number: optionalWords(
      'The number that is shown to the called party; if it is not sent, the stored one stays.',
      '12025550140',
    ),
    authentication: signedOnlyWords('password'),
    host: signedOnlyWords('dynamic'),
    port: signedOnlyWords('5060'),
  },
  device_delete: { device: { ...device, example: '33' } },
  device_rules_get: { device_id: device },
  device_rule_create: {
    device_id: { ...device, example: '21' },
    name: requiredWords('The name of the rule.', 'Local calls'),
    cut: { says: 'Digits to remove from the front.', required: 'without add', example: '0' },
    add: { says: 'The digits, `*`, `#` and `+` to put in front.', required: 'without cut', example: '1202' },
    pr_type: {
      says: 'The number that is rewritten: the calling number or the dialled number.',
      default: 'dst',
      values: DEVICE_RULE_TYPES,
      example: 'dst',
    },
    minlen: { says: 'The fewest digits that the rule applies to.', default: '1', example: '7' },
    maxlen: { says: 'The most digits that the rule applies to.', default: '100', example: '7' },
  },
  device_rule_delete: {
    device_rule_id: requiredWords('The rule.', '4'),
  },
}
