/** How the records of a kind are shown. Their fields and rights come from the API. */
export interface RecordView {
  readonly title: string
  /** One of them, with its article. */
  readonly noun: string
  readonly text: string
  /** The columns of the list after the name of the record. */
  readonly columns: readonly string[]
  /** The fields most records fill, in order; the others are behind a fold. Without it, all are shown. */
  readonly first?: readonly string[]
  /** The records that the list of a record holds, by the column that names it. */
  readonly details?: { readonly kind: string; readonly column: string }
}

export const RECORD_VIEWS: Readonly<Record<string, RecordView>> = {
  accounts: {
    title: 'Accounts',
    noun: 'a customer',
    text: '',
    columns: [],
    first: [
      ...['username', 'password', 'first_name', 'last_name', 'company_name', 'email', 'phone', 'tariff_id'],
      ...['address', 'postcode', 'city', 'vat_number', 'vat_percent', 'from', 'postpaid', 'credit'],
      ...['calls_limit', 'daily_balance_limit', 'language', 'comment'],
    ],
  },
  devices: {
    title: 'Devices',
    noun: 'a device',
    text: 'Telephones and trunks: who registers or sends calls for a customer.',
    columns: ['device_type', 'ipaddr'],
    first: [
      ...['user_id', 'description', 'device_type', 'authentication', 'name', 'secret', 'ipaddr', 'extension'],
      ...['callerid', 'call_limit', 'pin'],
    ],
    details: { kind: 'device-rules', column: 'device_id' },
  },
  'device-rules': {
    title: 'Number rules',
    noun: 'a rule',
    text: 'They change the numbers of the calls of a device.',
    columns: ['pr_type', 'cut', 'add', 'minlen', 'maxlen', 'enabled'],
  },
  tariffs: {
    title: 'Tariffs',
    noun: 'a tariff',
    text: '',
    columns: ['purpose', 'currency'],
    first: ['name', 'purpose', 'currency'],
  },
  providers: {
    title: 'Providers',
    noun: 'a provider',
    text: 'The carriers that calls leave by. The tariff of a provider makes the cost.',
    columns: ['tariff_id', 'addresses', 'number_format', 'tech_prefix'],
  },
  dids: {
    title: 'DIDs',
    noun: 'a DID',
    text: 'Numbers that callers from outside dial, and the customer and device that they reach.',
    columns: ['status', 'user_id', 'provider_id'],
    first: ['did', 'status', 'user_id', 'device_id', 'provider_id'],
  },
  services: {
    title: 'Services',
    noun: 'a service',
    text: 'Products besides calls, such as a monthly fee.',
    columns: ['charged', 'price', 'self_cost', 'currency'],
    first: ['name', 'charged', 'price', 'self_cost', 'currency', 'memo'],
  },
  subscriptions: {
    title: 'Subscriptions',
    noun: 'a subscription',
    text: 'The services that customers have, from a day on.',
    columns: ['user_id', 'service_id', 'from', 'till', 'quantity'],
    first: ['user_id', 'service_id', 'from', 'till', 'quantity', 'device_id', 'memo'],
  },
  currencies: {
    title: 'Currencies',
    noun: 'a currency',
    text: 'Their exchange rates: units for one unit of the default currency.',
    columns: ['exchange_rate'],
  },
  locations: {
    title: 'Locations',
    noun: 'a location',
    text: 'Rules for the numbers that the devices of a location dial.',
    columns: ['owner_id'],
    first: ['name'],
    details: { kind: 'location-rules', column: 'location_id' },
  },
  'location-rules': {
    title: 'Rules',
    noun: 'a rule',
    text: 'They change the numbers that are dialled, and choose another tariff.',
    columns: ['lr_type', 'cut', 'add', 'tariff_id', 'enabled'],
    first: ['name', 'enabled', 'lr_type', 'cut', 'add', 'minlen', 'maxlen', 'tariff_id', 'device_id'],
  },
}

/** The values of choices that are abbreviations of the API. */
const CHOICE_WORDS: Readonly<Record<string, string>> = {
  dst: 'number called',
  src: 'number of the caller',
  e164: 'E.164',
  udp: 'UDP',
  tcp: 'TCP',
  tls: 'TLS',
}

/** A value that the API declares, in words: `periodic fee`. */
export const wordsOfChoice = (value: string): string => CHOICE_WORDS[value] ?? value.replaceAll('_', ' ')

export function valueInWords(value = '', control: string): string {
  if (control === 'switch') return value === '1' ? 'yes' : 'no'
  return control === 'choice' ? wordsOfChoice(value) : value
}

/** The noun of the record, in the words of a form. */
export const recordNoun = (kind: string): string => RECORD_VIEWS[kind]?.noun ?? kind
