/** The fields of the generic CSV. A field without a mapping is in the column of its own name. */
export const MAPPED_FIELDS = [
  'uniqueid',
  'start',
  'answer',
  'end',
  'src',
  'dst',
  'duration',
  'billsec',
  'disposition',
  'hangupcause',
  'sip_status',
  'account_code',
  'device',
  'sip_user',
  'did',
  'ip',
  'channel',
  'provider',
  'provider_ip',
  'provider_channel',
  'carrier_dst',
] as const

export type MappedField = (typeof MAPPED_FIELDS)[number]

/**
 * The names that switches and carriers give the columns of CDRs, in lower case and without signs, the most
 * specific first. They only appear in the example of an error message.
 */
const LIKELY_NAMES: Partial<Record<MappedField, string>> = {
  uniqueid:
    'uniqueid callid uuid cdrid transactionid sessionid acctsessionid recordid callreference historyid id',
  start:
    'start starttime timestart callstart callstarttime starttimestamp setuptime setup calldate datetime begintime initiationtime created date time',
  answer: 'answer answertime timeanswered timeanswer timeconnect connecttime connect connected answered',
  end: 'end endtime stoptime timeend hanguptime disconnecttime release releasetime stop hangup',
  billsec:
    'billsec billduration billedduration billableseconds billingseconds billedseconds billseconds chargedduration talktime talkingtime feetime conversationtime callduration duration seconds length',
  src: 'src ani cli caller calling callernumber callingnumber callerid callere164 srcnumber sourcenumber fromno from anumber srcuser srcprefixin source origination',
  dst: 'dst dnis cld callee called calleenumber callednumber destinationnumber dialednumber dialledno dialno calleee164 dstnumber tono to bnumber dstuser dstprefixin destination',
  account_code:
    'accountcode account accountid customer customername customeracc customerid iaccount username client user',
  device: 'device extension fromdn endpoint',
  ip: 'ip customerip callerip srcip sourceip remoteip signalip originatingip',
  sip_status: 'sipstatus sipcode disconnectcode',
  hangupcause: 'hangupcause q850 disconnectcause cause endreason',
  disposition: 'disposition callstatus callresult status result',
}

const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** `--map` for each well-known column: `--map start=StartTime --map 'dst=To No'`. Blank for none. */
export function mapExample(columns: readonly string[]): string {
  const plain = columns.map(plainName)
  const options = Object.entries(LIKELY_NAMES).flatMap(([field, names]) => {
    const index = names.split(' ').reduce((found, name) => (found < 0 ? plain.indexOf(name) : found), -1)
    const column = columns[index]
    return column === undefined || column === field ? [] : [`--map ${shellQuoted(`${field}=${column}`)}`]
  })
  return options.join(' ')
}

/** An argument of a command line, in quotes where a shell needs them. */
export const shellQuoted = (text: string): string =>
  /^[\w=.:/@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** Fields in the usual order of cells that look alike. */
const LOOKS: readonly (readonly [look: RegExp, fields: readonly MappedField[]])[] = [
  [
    /^\D?\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\D|^\d{14}$|^\d{10}(\.\d+)?$|^\d{4}-\d\d-\d\d$/,
    ['start', 'answer', 'end'],
  ],
  [/^\+?\d{7,15}$/, ['src', 'dst']],
  [/^\d{1,5}(\.\d+)?$|^\d{1,2}:\d\d(:\d\d)?$/, ['duration', 'billsec']],
]

/** `--columns` for a row without a header, with fields for the cells that look like theirs. */
export function columnsExample(row: readonly string[]): string {
  const free = LOOKS.map(([look, fields]) => ({ look, fields: [...fields] }))
  const names = row.map((cell, index) => {
    const likely = free.find(({ look }) => look.test(cell.trim()))
    return likely?.fields.shift() ?? `column${index + 1}`
  })
  return `--columns ${names.join(',')}`
}
