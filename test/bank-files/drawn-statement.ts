/** A movement as a test draws it, which every format can say. */
export interface DrawnMovement {
  readonly day: string
  /** With two decimals. */
  readonly amount: string
  readonly currency: string
  readonly direction: 'in' | 'out' | 'returned'
  readonly payer: string
  readonly iban: string
  readonly text: string
  readonly reference: string
  /** End-to-end id; blank for none. */
  readonly id: string
}

const OWN = 'DE89370400440532013000'

const xml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

function camt(version: '02' | '08', movements: readonly DrawnMovement[], statement: string): string {
  const name = (text: string) =>
    version === '02' ? `<Nm>${xml(text)}</Nm>` : `<Pty><Nm>${xml(text)}</Nm></Pty>`
  const entries = movements.map(
    ({ day, amount, currency, direction, payer, iban, text, reference, id }, index) => `<Ntry>
<NtryRef>${index + 1}</NtryRef><Amt Ccy="${currency}">${amount}</Amt>
<CdtDbtInd>${direction === 'in' ? 'CRDT' : 'DBIT'}</CdtDbtInd>
${direction === 'returned' ? '<RvslInd>true</RvslInd>' : ''}
<Sts>${version === '02' ? 'BOOK' : '<Cd>BOOK</Cd>'}</Sts><BookgDt><Dt>${day}</Dt></BookgDt>
<NtryDtls><TxDtls><Refs><EndToEndId>${id || 'NOTPROVIDED'}</EndToEndId></Refs>
<RltdPties><Dbtr>${name(payer)}</Dbtr><DbtrAcct><Id><IBAN>${iban}</IBAN></Id></DbtrAcct></RltdPties>
<RmtInf>${text && `<Ustrd>${xml(text)}</Ustrd>`}${
      reference &&
      `<Strd><CdtrRefInf><Tp><CdOrPrtry><Cd>SCOR</Cd></CdOrPrtry></Tp><Ref>${reference}</Ref></CdtrRefInf></Strd>`
    }</RmtInf></TxDtls></NtryDtls></Ntry>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}"><BkToCstmrStmt>
<GrpHdr><MsgId>M${statement}</MsgId><CreDtTm>2026-03-09T06:00:00</CreDtTm></GrpHdr>
<Stmt><Id>${statement}</Id><Acct><Id><IBAN>${OWN}</IBAN></Id></Acct>${entries.join('\n')}</Stmt>
</BkToCstmrStmt></Document>`
}

/** Lines of at most 65 characters, as SWIFT has them. */
const wrapped = (text: string): string => text.replace(/(.{65})(?=.)/g, '$1\n')

const FIELD = /[\s\S]{1,27}/g

const details: Readonly<Record<'de' | 'nl' | 'pl', (one: DrawnMovement) => string>> = {
  de: ({ direction, payer, iban, text, reference, id }) => {
    const said = `EREF+${id || 'NOTPROVIDED'} SVWZ+${[text, reference].filter(Boolean).join(' ')}`
    const fields = (said.match(FIELD) ?? []).map((part, index) => `?${20 + index}${part}`)
    const code = direction === 'returned' ? '109' : '166'
    return wrapped(
      `${code}?00BUCHUNG?109310${fields.join('')}?30COBADEFFXXX?31${iban}?32${payer.slice(0, 27)}?33${payer.slice(27)}`,
    )
  },
  nl: ({ direction, payer, iban, text, reference, id }) =>
    wrapped(
      `/TRTP/SEPA OVERBOEKING/IBAN/${iban}/BIC/INGBNL2A/NAME/${payer}/REMI/${
        reference ? `STRD/ISO/${reference}` : `USTD//${text}`
      }/EREF/${id || 'NOTPROVIDED'}${direction === 'returned' ? '/RTRN/MS03' : ''}`,
    ),
  pl: ({ payer, iban, text, reference, id }) =>
    wrapped(
      `911 PRZELEW; Z RACH.: ${iban}; OD: ${payer}  UL. NIJAKA 1; TYT.: ${[text, reference].filter(Boolean).join(' ')}   ; TNR: ${id || '0'}`,
    ),
}

function mt940(bank: keyof typeof details, movements: readonly DrawnMovement[], statement: string): string {
  const lines = movements.map((one) => {
    const mark = { in: 'C', out: 'D', returned: bank === 'pl' ? 'RC' : 'D' }[one.direction]
    const day = one.day.replaceAll('-', '').slice(2)
    return `:61:${day}${day.slice(2)}${mark}${one.amount.replace('.', ',')}NTRFNONREF\n:86:${details[bank](one)}`
  })
  const [currency] = movements.map((one) => one.currency)
  return [
    ':20:STARTUMS',
    `:25:${OWN}`,
    `:28C:${statement}/1`,
    `:60F:C260301${currency}0,00`,
    ...lines,
    `:62F:C260309${currency}0,00`,
    '-',
  ].join('\r\n')
}

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`

function csv(movements: readonly DrawnMovement[]): string {
  const rows = movements.map(({ day, amount, currency, direction, payer, iban, text, reference }) =>
    [
      day.split('-').reverse().join('.'),
      payer,
      iban,
      text,
      reference,
      `${direction === 'in' ? '' : '-'}${amount.replace('.', ',')}`,
      currency,
    ]
      .map(quoted)
      .join(';'),
  )
  return `${['Buchungstag;Beguenstigter/Zahlungspflichtiger;Kontonummer/IBAN;Verwendungszweck;Kundenreferenz;Betrag;Waehrung', ...rows].join('\n')}\n`
}

export const FORMATS = {
  'CAMT.053 of version 02': (movements, statement) => camt('02', movements, statement),
  'CAMT.053 of version 08': (movements, statement) => camt('08', movements, statement),
  'MT940 of a German bank': (movements, statement) => mt940('de', movements, statement),
  'MT940 of a Dutch bank': (movements, statement) => mt940('nl', movements, statement),
  'MT940 of a Polish bank': (movements, statement) => mt940('pl', movements, statement),
  CSV: (movements) => csv(movements),
} as const satisfies Record<string, (movements: readonly DrawnMovement[], statement: string) => string>
