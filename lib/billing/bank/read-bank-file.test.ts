import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { root } from '#tools/machine/program.ts'
import type { BankRow } from './bank-row.ts'
import { readBankFile } from './read-bank-file.ts'

const read = async (bytes: Uint8Array | string, profile = {}) => {
  const file = await readBankFile(Buffer.from(bytes), profile)
  return Array.fromAsync(file.rows())
}

const sample = (name: string) => readFileSync(join(root, 'test/bank-files', name))

const said = ({ day, amount, currency, isCredit, isReturn, payer, payerAccount, text, ...more }: BankRow) => [
  `${day} ${isCredit ? '+' : '-'}${amount} ${currency}${isReturn ? ` back ${more.original}` : ''}`,
  ...[payer, payerAccount, text, more.references.join(), more.ids.join()].filter((one) => one !== ''),
]

test.each([
  ['camt053.v2.xml', [['2014-12-31 +8.85 EUR', 'DEBTOR NAME NM', '4654654654654654']]],
  [
    'camt053.v8.xml',
    [
      [
        '2014-12-31 +8.85 EUR',
        ...['NAME NAME', 'NL56AGDH9619008421', '4654654654654654'],
        'MUELL/FINP/RA12345,AAAASESS-FP-CN_98765/01',
      ],
    ],
  ],
  [
    'commerzbank.sta',
    [
      [
        '2020-06-08 -12.35 EUR back 11.85',
        ...['TESTEREL', 'DE50712345600200691329'],
        'SONSTIGE GRUENDE ENDABRECHNUNG NR. 500106875 ZU VERTRA400143254, KUNDENNUM MER 202227779',
        '2016021783252833,A1.200080779.400143254.4961336,SEPA-DA20200601221740-34972000-P1',
      ],
    ],
  ],
  [
    'knab.sta',
    [
      [
        '2014-05-07 +500 EUR',
        'HIER EEN MOOIE OMSCHRIJVING IN HOOFDLETTERS WANT DAT IS ZOALS DE NEDERLANDSE BANKEN COMMUNICEREN',
        'B4E07XM00J000023',
      ],
      [
        '2014-07-29 -7260 EUR',
        ...['PICQER', 'NL65INGB0123456789'],
        'FACTUUR 201403110, 201403113 REK: NL65INGB0123456789/NAAM: PICQER',
        'B4G29PGCVO7Q06US',
      ],
      [
        '2014-07-29 +500 EUR',
        ...['MMS ONLINE NEDERLAND B.V.', 'NL84INGB0234561789'],
        '12160475 0050001631430920 ORDERID: 264267 MEDIA MARKT ONLINE NEREK: NL84INGB0234561789/NAAM: MMS ONLINE NEDERLAND B.V.',
        '29-07-2014 10:05,B4G29PGDCK1QFV3E',
      ],
    ],
  ],
  [
    'rabobank-iban.sta',
    [
      ['2013-01-01 -25 EUR', 'CONTRA ACCOUNT HOLDER', '01-01-2013 12:00 0030000987654321'],
      ['2013-01-02 -10 EUR', 'JOHN DOE', 'Reference 201301234'],
      ['2013-01-08 -25 EUR', 'CONTRA ACCOUNT HOLDER', '08-01-2013 12:00 0030000987654321'],
      ['2013-01-09 -10 EUR', 'JOHN DOE', 'Reference 201301234'],
    ],
  ],
  // Several :86: of one line, and the payer in place of a reference.
  [
    'rabobank.sta',
    [
      [
        '2011-05-27 -1213.28 EUR',
        ...['W.P. Jansen', '0121470966'],
        'Terugboeking NIET AKKOORD MET AFSCHRIJVING KOSTEN KINDEROPVANG JUNI 20095731',
      ],
    ],
  ],
  [
    'sns.sta',
    [
      ['2012-06-08 -20 EUR', 'marechal s', '0987654321', 'dit is een test'],
      ['2012-06-08 -5 EUR', 'marechal s', '0987654321', 'dit is test 2'],
    ],
  ],
  ['asn.sta', [['2020-01-01 -65 EUR', 'hr gjlm paulissen', 'NL47INGB9999999999', 'Betaling sieraden']]],
  [
    'dkb.sta',
    [
      [
        '2017-09-14 -233.15 EUR',
        ...['Finanzamt Muenchen Abteilung Erhebung', 'DE99700500000000012345'],
        '123/123/12345-----L110000000012345',
      ],
    ],
  ],
  [
    'camt053.v2.multi.statement.xml',
    [
      ['2014-12-31 +8.85 EUR', 'Transaction Description 1', '000000001'],
      ['2014-12-31 -7 EUR', 'Company Name 2', 'NL56AGDH9619008421', 'Transaction Description 2', '000000002'],
    ],
  ],
  ['camt053.v2.five.decimals.xml', [['2014-12-31 +8.85 EUR', 'Transaction Description', '000000001']]],
  [
    'camt053.v2.with-party-ids.xml',
    [['2014-12-31 +8.85 EUR', 'NAME NAME', 'NL56AGDH9619008421', '4654654654654654']],
  ],
  [
    'camt053.v3.xml',
    [
      [
        '2014-12-31 +8.85 EUR',
        ...['NAME NAME', 'NL56AGDH9619008421', '4654654654654654', 'XXXXXXXXXXXXXXXXXXXXXXEUR'],
      ],
    ],
  ],
  [
    'camt053.v4.xml',
    [
      [
        '2014-12-31 +8.85 EUR',
        ...['NAME NAME', 'NL56AGDH9619008421', '4654654654654654', 'AAAASESS-FP-CN_98765/01'],
      ],
    ],
  ],
  [
    'mbank.sta',
    ['012058', '012085', '012121'].map((id, index) => [
      '2017-01-19 +0.01 PLN',
      ...['JAN NOWAK', '56114010810000267002001001', 'PRZELEW SRODKOW'],
      `MB170119${id},${['179171073864111.010001', '179171073864192.000001', '179171073864291.000001'][index]}`,
    ]),
  ],
  [
    'sparkasse.sta',
    [
      [
        '2019-02-18 -20 EUR',
        'Aral Tankstelle Chemnitz Leipziger Straße 257//Chemnitz/DE',
        ...['DE95430800830802029200', '2019-02-15T20.10 Debitk.4 2019-12'],
      ],
      [
        '2019-02-19 -20 EUR',
        ...['Max Mustermann', 'DE12345678901234567890', 'Apple Pay DATUM 19.02.2019, 13.24 UHR1.TAN 002153'],
      ],
    ],
  ],
])('the published file %s is read', async (name, expected) => {
  expect((await read(sample(name))).map(said)).toEqual(expected)
})

test('pages of a statement and several statements are read, and a repeated statement has the same ids', async () => {
  const abn = await read(sample('abnamro.sta'))
  expect(abn.map(({ amount }) => amount)).toEqual(
    '9 11.59 11.63 11.8 13.45 15.49 107 141.48 9.49 15'.split(' '),
  )
  const postfinance = await read(sample('postfinance.sta'))
  expect(
    postfinance.map(({ amount, currency, isCredit }) => `${isCredit ? '+' : '-'}${amount} ${currency}`),
  ).toEqual(['+79.7 CHF', '+149.5 CHF', '-79.9 CHF', '+10.1 CHF'])
  const twice = await read(Buffer.concat([sample('knab.sta'), sample('knab.sta')]))
  expect(twice.slice(3).map(({ id }) => id)).toEqual(twice.slice(0, 3).map(({ id }) => id))
})

test('a bank that adds a message to a reference keeps both apart, and MT942 has the rows of MT940', async () => {
  const dresdner = (await read(sample('dresdner.sta'))).map(said)
  expect(dresdner[0]).toEqual([
    '2007-09-04 +50990.05 EUR',
    ...['KARL KAUFMANN', 'DE14508800500194785000', 'Verw CTSc-01 BC-PPP TFNr 22 004'],
    '0724710333343453,EndToEndId TFNR 22 004 00001',
  ])
  expect(dresdner[5]).toEqual([
    '2007-09-04 +335.33 EUR back undefined',
    'Grund nicht spezifiziert Reject aus SEPA-Ueberweisungsauftrag',
    'TFNr 44001 MSGID,0724710351063401,TFNR 44001 00001',
  ])
  const [day, interim] = [await read(sample('mbank.sta')), await read(sample('mbank-mt942.sta'))]
  expect(interim.map(({ id }) => id)).toEqual(day.map(({ id }) => id))
})

// As importers of others have it in their tests, of Rabobank (`D000000000500.00NMSC`) and of Axis Bank.
test('an amount of MT940 with a decimal point keeps its decimals and its reference', async () => {
  const [row] = await read(':20:A\n:25:B\n:60F:C260901INR1.00\n:61:2609020902CR3200.50NTRFNEFT1//B04\n:86:x')
  expect(row).toMatchObject({ amount: '3200.5', currency: 'INR', ids: ['NEFT1', 'B04'] })
})

test('lines of German and Polish texts are joined only if they are full', async () => {
  const texts = async (details: string) =>
    (await read(`:20:A\n:25:B\n:61:2609020902C3,00NTRFNONREF\n:86:${details}`)).map(({ text }) => text)
  expect(await texts('166?00GUTSCHRIFT?20RG A-2026-1?2112.03.2026?32ANNA')).toEqual([
    'RG A-2026-1 12.03.2026',
  ])
  expect(await texts('166?00X?20SVWZ+Rechnung Nr.  A-2026-1?2123 danke?32ANNA')).toEqual([
    'Rechnung Nr. A-2026-123 danke',
  ])
})

const entry = (said: string) => `<Ntry><Amt Ccy="EUR">10.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts>
<BookgDt><Dt>2026-03-02</Dt></BookgDt>${said}</Ntry>`

const document = (...entries: readonly string[]) =>
  `<Document><BkToCstmrStmt><Stmt><Id>1</Id>${entries.join('')}</Stmt></BkToCstmrStmt></Document>`

const details = (amount: string, text: string) =>
  `<TxDtls><AmtDtls><TxAmt><Amt Ccy="EUR">${amount}</Amt></TxAmt></AmtDtls><RmtInf><Ustrd>${text}</Ustrd></RmtInf></TxDtls>`

test('a batch is its payments, also less charges, and one row if their amounts do not make it up', async () => {
  const batch = (charges: string, ...amounts: readonly string[]) =>
    entry(
      `${charges}<NtryDtls>${amounts.map((amount, index) => details(amount, `no ${index}`)).join('')}</NtryDtls>`,
    )
  const charges = '<Chrgs><Rcrd><Amt Ccy="EUR">0.50</Amt></Rcrd></Chrgs>'
  const opaque = entry('<NtryDtls><Btch><NbOfTxs>7</NbOfTxs></Btch></NtryDtls>')

  const rows = await read(
    document(batch('', '4.00', '6.00'), batch(charges, '4.00', '6.50'), batch('', '1.00', '2.00'), opaque),
  )
  expect(rows.map(({ amount, batchOf, text }) => [amount, batchOf ?? 1, text])).toEqual([
    ...[
      ['4', 1, 'no 0'],
      ['6', 1, 'no 1'],
      ['4', 1, 'no 0'],
      ['6.5', 1, 'no 1'],
    ],
    ...[
      ['10', 2, ''],
      ['10', 7, ''],
    ],
  ])
})

test('an entry that is not booked yet is left out, and equal ones of a statement are two', async () => {
  const pending = entry('').replace('BOOK', 'PDNG')
  const rows = await read(document(entry(''), pending, entry('')))
  expect(rows).toHaveLength(2)
  expect(rows[0]?.id).not.toBe(rows[1]?.id)
  expect((await read(document(entry(''), entry('')))).map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
})

test.each(['true', '1'])('a reversal is marked by the XML boolean %s', async (yes) => {
  const [reversal] = await read(document(entry(`<RvslInd>${yes}</RvslInd>`)))
  expect(reversal).toMatchObject({ isReturn: true })
})

// As a Lithuanian bank writes CAMT.053.001.08: Subite-eu/camt-to-coda at 5f3821c, example-files/CAMT.
test('an entry without a day is of the day of its closing balance, otherwise of its statement', async () => {
  const undated = entry('').replace(/<BookgDt>.*<\/BookgDt>/, '')
  const balance = (code: string, day: string) =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">1</Amt><Dt><Dt>${day}</Dt></Dt></Bal>`
  const created = '<CreDtTm>2026-03-05T19:47:08.008+02:00</CreDtTm>'
  const balances = balance('OPBD', '2026-03-03') + balance('CLBD', '2026-03-04')

  const rows = async (...before: readonly string[]) =>
    (await read(document(...before, undated))).map(({ day }) => day)
  expect([await rows(created, balances), await rows(created)]).toEqual([['2026-03-04'], ['2026-03-05']])
  await expect(rows()).rejects.toThrow('An entry has no day')
})

test.each([
  [
    'CSV of Sparkasse',
    'Auftragskonto;Buchungstag;Verwendungszweck;Beguenstigter/Zahlungspflichtiger;Kontonummer/IBAN;Betrag;Waehrung\nDE1;02.03.26;A-2026-3;Anna;DE2;-1.234,50;EUR',
  ],
  [
    'CSV of ING',
    'Datum;Naam / Omschrijving;Rekening;Tegenrekening;Code;Af Bij;Bedrag (EUR);Mededelingen\n20260302;Anna;DE1;DE2;GT;Af;1234,50;A-2026-3',
  ],
  [
    'CSV with two columns of amounts',
    'Booking date,Counterparty,Description,Debit,Credit,Currency\n2026-03-02,Anna,A-2026-3,"1,234.50",,EUR',
  ],
  [
    'CSV of a Polish bank below lines of titles',
    'Lista operacji\nKonto;1\n\nData operacji;Kontrahent;Tytuł;Kwota;Waluta\n2026-03-02;Anna;A-2026-3;-1234,50;EUR',
  ],
])('%s is read by its headings', async (_, text) => {
  const [row] = await read(text)
  expect(row).toMatchObject({
    ...{
      day: '2026-03-02',
      amount: '1234.5',
      currency: 'EUR',
      isCredit: false,
      payer: 'Anna',
      text: 'A-2026-3',
    },
  })
})

// Rows as others publish them in tests of their importers, with texts of this test.
test.each([
  [
    'mBank, whose amounts have the currency',
    '#Waluta;#Wpływy;#Wydatki;\nPLN;50,00;-118,72;\n\n#Data operacji;#Opis operacji;#Rachunek;#Kategoria;#Kwota;\n2026-09-18;ZAKUP;Konto;Dom;-118,72 PLN;;\n2026-09-19;A-2026-3;Konto;Wpływy;50,00 PLN;;',
    ['2026-09-18 -118.72 PLN', '2026-09-19 +50 PLN'],
  ],
  [
    'mBank, with the currency above the headings',
    '#Waluta;\nPLN;\n#Data księgowania;#Data operacji;#Opis operacji;#Tytuł;#Kwota;#Saldo po operacji;\n2026-08-02;2026-08-02;PRZELEW;A-2026-3;10,00;10,00;',
    ['2026-08-02 +10 PLN'],
  ],
  [
    'Sparkasse, one not booked yet and one returned',
    'Buchungstag;Buchungstext;Verwendungszweck;Betrag;Waehrung;Info\n29.03.26;GUTSCHR. UEBERWEISUNG;A-2026-3;120,00;EUR;Umsatz vorgemerkt\n28.03.26;RUECKLASTSCHRIFT;A-2026-3;-120,00;EUR;Umsatz gebucht',
    ['2026-03-28 -120 EUR back'],
  ],
  [
    'Rabobank, one returned',
    'Munt,Datum,Bedrag,Omschrijving-1,Reden retour\nEUR,2026-03-02,"-12,00",A-2026-3,MD06\nEUR,2026-03-02,"+12,00",A-2026-3,',
    ['2026-03-02 -12 EUR back', '2026-03-02 +12 EUR'],
  ],
  [
    'Revolut Business, one pending',
    'Date started (UTC),Date completed (UTC),Type,State,Reference,Orig currency,Orig amount,Payment currency,Amount\n2026-05-29,2026-05-30,TOPUP,COMPLETED,A-2026-3,EUR,90.00,USD,100.00\n2026-05-28,2026-05-28,TRANSFER,PENDING,A-2026-4,USD,50.00,USD,50.00',
    ['2026-05-30 +100 USD'],
  ],
  [
    'Mint, whose type says debit or credit',
    'Date,Description,Amount,Transaction Type,Category\n3/27/2026,A-2026-3,50.00,debit,Phone\n3/28/2026,A-2026-4,60.00,credit,Phone',
    ['2026-03-27 -50 ', '2026-03-28 +60 '],
  ],
  [
    'banks of India and Britain, with the sign behind the amount or its currency',
    'Date,Description,Amount\n27/03/2026,a,"1,234.00 Dr"\n28/03/2026,b,60.00 Cr\n29/03/2026,c,€ -5.00\n30/03/2026,d,(£5.50)',
    ['2026-03-27 -1234 ', '2026-03-28 +60 ', '2026-03-29 -5 EUR', '2026-03-30 -5.5 GBP'],
  ],
  [
    'Poland and Czechia, whose signs are letters',
    'Data,Opis,Kwota\n27.03.2026,a,"1 250,00 zł"\n28.03.2026,b,"60,00 Kč"',
    ['2026-03-27 +1250 PLN', '2026-03-28 +60 CZK'],
  ],
  [
    'Deutsche Bank, with an amount before its exchange',
    'Buchungstag;Verwendungszweck;Betrag;Soll;Haben;Währung\n03.08.2026;a;15,00;-13,99;;EUR\n01.08.2026;b;3.000,00;;2.500,00;EUR',
    ['2026-08-03 -13.99 EUR', '2026-08-01 +2500 EUR'],
  ],
  [
    'PostFinance, with the currency in its headings',
    'Datum von:;="2024-01-01"\nWährung:;="CHF"\n\nBuchungsdatum;Avisierungstext;Gutschrift in CHF;Lastschrift in CHF;Label\n31.01.2024;"KAUF";;-45.30;\n25.01.2024;"A-2024-3";5400.00;;',
    ['2024-01-31 -45.3 CHF', '2024-01-25 +5400 CHF'],
  ],
  [
    'OCA, with a minus among credits',
    '"Date","Label","Debit","Credit"\n"12/15/2018","Credit 20.00","0.00","20.00"\n"12/15/2018","Credit 13.50","0.00","-13.50"',
    ['2018-12-15 +20 ', '2018-12-15 -13.5  back'],
  ],
])('CSV of %s is read as the bank means it', async (_, text, expected) => {
  const rows = await read(text)
  expect(
    rows.map(
      ({ day, isCredit, amount, currency, isReturn }) =>
        `${day} ${isCredit ? '+' : '-'}${amount} ${currency}${isReturn ? ' back' : ''}`,
    ),
  ).toEqual(expected)
})

test('CSV whose columns, decimals or days are not certain asks, and a profile answers', async () => {
  const questions = async (text: string, profile = {}) =>
    (await readBankFile(Buffer.from(text), profile)).questions.map(({ about }) => about)
  expect(await questions('When;What\n1;2')).toEqual(['columns'])
  expect(await questions('Date;Amount\n01/02/2026;1,234')).toEqual(['decimal', 'dates'])
  const profile = {
    columns: { day: 'When', amount: '#2' },
    dates: 'month-day',
    decimal: 'comma',
    currency: 'PLN',
  }
  const [row] = await read('When;What\n01/02/2026;1,234', profile)
  expect(row).toMatchObject({ day: '2026-01-02', amount: '1.234', currency: 'PLN' })
  const [token] = await read('When;What\n01/02/2026;1,234', { ...profile, currency: 'TOK' })
  expect(token).toMatchObject({ currency: 'TOK', sign: undefined })
})

test.each([
  ['', 'The file is empty'],
  ['%PDF-1.7', 'The file is a PDF: fetch CAMT.053, MT940 or CSV from the bank'],
  ['<html></html>', 'The file is not CAMT.053: line 1: it has no statement'],
  ['<Document><BkToCstmrAcctRpt/></Document>', 'The file is not CAMT.053: line 1: it has BkToCstmrAcctRpt'],
  ['<!DOCTYPE a [<!ENTITY b "c">]><Document/>', 'The file is not CAMT.053: line 1: it has a document type'],
  ['<Document><BkToCstmrStmt>', 'The file is not XML: 1:25: unclosed tag: BkToCstmrStmt'],
  [`<Document>${'<a>'.repeat(50)}`, 'The file is not CAMT.053: line 1: it has a'],
  [
    `<Document><BkToCstmrStmt>${'<a>'.repeat(50)}`,
    'The file is not CAMT.053: line 1: it is nested deeper than 40 levels',
  ],
  [
    ':20:A\n:25:B\n:61:260902C1.234,56NTRFNONREF',
    'The file is not MT940: ":61:260902C1.234,56NTRFNONREF" has no day and amount',
  ],
  [':20:A\n:25:B\n:61:x', 'The file is not MT940: ":61:x" has no day and amount'],
  ['Datum;Betrag\nx1;2', 'Line 2: day "x1" is not a day'],
  // Commerzbank quotes nothing.
  [
    'Buchungstag;Buchungstext;Betrag;Saldo\n02.03.2026;A-2026-3; 12;50,00;100,00',
    'Line 2 has 5 columns, expected 4: quote its texts',
  ],
  ['Date,Text,Amount\n2026-03-02,A-2026-3, Anna,50.00', 'Line 2 has 4 columns, expected 3: quote its texts'],
  ['Date;Amount;D/C\n2026-03-02;2;W', 'Line 2: sign "W" is not debit or credit'],
])('%j is refused: %s', async (text, message) => {
  await expect(read(text)).rejects.toThrow(message)
})

test('a packed file is unpacked', async () => {
  expect(await read(gzipSync(sample('knab.sta')))).toHaveLength(3)
})
