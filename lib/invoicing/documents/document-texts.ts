import {
  type CustomerLanguage,
  type Formats,
  type Translations,
  translator,
} from '#lib/base/language/language.ts'
import { MONTH_NAMES } from '../month.ts'

const DOCUMENT_TEXTS = {
  invoice: ['Invoice', 'Rechnung', 'Facture', 'Factura'],
  creditNote: ['Credit note', 'Rechnungskorrektur', 'Avoir', 'Factura rectificativa'],
  number: ['Number', 'Nummer', 'Numéro', 'Número'],
  issued: ['Date of issue', 'Rechnungsdatum', "Date d'émission", 'Fecha de emisión'],
  period: ['Service period', 'Leistungszeitraum', 'Période de service', 'Periodo de servicio'],
  due: ['Due date', 'Fällig am', "Date d'échéance", 'Fecha de vencimiento'],
  customer: ['Customer', 'Kunde', 'Client', 'Cliente'],
  corrects: ['Corrects invoice', 'Korrigiert Rechnung', 'Rectifie la facture', 'Rectifica la factura'],
  yourReference: ['Your reference', 'Ihre Referenz', 'Votre référence', 'Su referencia'],
  from: ['From', 'Von', 'Émetteur', 'Emisor'],
  to: ['Bill to', 'An', 'Facturé à', 'Facturar a'],
  vatNumber: ['VAT number: {number}', 'USt-IdNr.: {number}', 'N° TVA : {number}', 'NIF-IVA: {number}'],
  item: ['Description', 'Beschreibung', 'Désignation', 'Descripción'],
  since: ['from {day}', 'ab {day}', 'à partir du {day}', 'desde el {day}'],
  quantity: ['Quantity', 'Menge', 'Quantité', 'Cantidad'],
  unit: ['Unit', 'Einheit', 'Unité', 'Unidad'],
  duration: ['Duration', 'Dauer', 'Durée', 'Duración'],
  price: ['Unit price', 'Einzelpreis', 'Prix unitaire', 'Precio unitario'],
  sum: ['Amount', 'Betrag', 'Montant', 'Importe'],
  call: ['call', 'Gespräch', 'appel', 'llamada'],
  calls: ['calls', 'Gespräche', 'appels', 'llamadas'],
  piece: ['pc.', 'Stück', 'pièce', 'ud.'],
  pieces: ['pcs', 'Stück', 'pièces', 'uds.'],
  net: ['Subtotal without VAT', 'Nettobetrag', 'Total hors TVA', 'Base imponible'],
  vat: ['VAT {percent} %', 'Umsatzsteuer {percent} %', 'TVA {percent} %', 'IVA {percent} %'],
  vatOnly: ['VAT', 'Umsatzsteuer', 'TVA', 'IVA'],
  total: ['Total', 'Gesamtbetrag', 'Total TTC', 'Total'],
  paid: [
    'Paid from your balance. Nothing is due.',
    'Mit Ihrem Guthaben bezahlt. Es ist nichts fällig.',
    "Payé par votre solde. Rien n'est dû.",
    'Pagado con su saldo. No hay nada pendiente.',
  ],
  nothingDue: ['Nothing is due.', 'Es ist nichts fällig.', "Rien n'est dû.", 'No hay nada pendiente.'],
  reverseCharge: [
    'Reverse charge',
    'Steuerschuldnerschaft des Leistungsempfängers',
    'Autoliquidation',
    'Inversión del sujeto pasivo',
  ],
  accounted: [
    'VAT in {currency}: {amount} {currency}',
    'Umsatzsteuer in {currency}: {amount} {currency}',
    'TVA en {currency} : {amount} {currency}',
    'IVA en {currency}: {amount} {currency}',
  ],
  toPay: [
    'Please pay {amount} by {day}.',
    'Bitte zahlen Sie {amount} bis zum {day}.',
    'Merci de régler {amount} au plus tard le {day}.',
    'Pague {amount} a más tardar el {day}.',
  ],
  credited: [
    'We credit {amount} to you.',
    'Wir schreiben Ihnen {amount} gut.',
    'Nous vous créditons de {amount}.',
    'Le abonamos {amount}.',
  ],
  reference: [
    'Reference of your payment: {number}',
    'Verwendungszweck: {number}',
    'Référence du paiement : {number}',
    'Referencia del pago: {number}',
  ],
  payByCode: [
    'Pay with your banking app',
    'Mit Ihrer Banking-App bezahlen',
    "Payez avec l'application de votre banque",
    'Pague con la aplicación de su banco',
  ],
  page: [
    'Page {page} of {pages}',
    'Seite {page} von {pages}',
    'Page {page} sur {pages}',
    'Página {page} de {pages}',
  ],
  annex: ['Calls', 'Einzelverbindungsnachweis', 'Détail des appels', 'Detalle de llamadas'],
  annexOf: ['to {number}', 'zu {number}', 'de {number}', 'de {number}'],
  time: ['Time', 'Zeit', 'Heure', 'Hora'],
  caller: ['From', 'Von', 'Appelant', 'Desde'],
  called: ['To', 'Nach', 'Appelé', 'Hasta'],
  lines: ['Sums by number', 'Summen nach Rufnummer', 'Totaux par numéro', 'Totales por número'],
  noCalls: ['No calls', 'Keine Gespräche', 'Aucun appel', 'Ninguna llamada'],
} as const satisfies Record<string, Translations>

export const documentTexts = (language: CustomerLanguage) => translator(DOCUMENT_TEXTS, language)

/** The names that drafts give to rows (draft.ts, month-customers.ts). */
const ROW_NAMES: Readonly<Record<string, Translations>> = {
  Calls: ['Calls', 'Gespräche', 'Appels', 'Llamadas'],
  'Calls of customers': [
    'Calls of customers',
    'Gespräche von Kunden',
    'Appels des clients',
    'Llamadas de clientes',
  ],
  'Incoming calls': ['Incoming calls', 'Eingehende Gespräche', 'Appels entrants', 'Llamadas entrantes'],
  'Other destinations': ['Other destinations', 'Andere Ziele', 'Autres destinations', 'Otros destinos'],
  Charges: ['Charges', 'Gebühren', 'Frais', 'Cuotas'],
  Minimum: ['Minimum', 'Mindestumsatz', 'Minimum', 'Consumo mínimo'],
  late: ['late', 'nachberechnet', 'tardif', 'posterior'],
  'billed on': ['billed on', 'berechnet mit', 'facturé sur', 'facturado en'],
}

/**
 * The name of a row in the language of its document: `Calls, April 2026, late` is
 * `Gespräche, April 2026, nachberechnet`. The names of services and destinations stay.
 */
export const rowNameIn = (name: string, language: CustomerLanguage, formats: Formats): string =>
  name
    .split(/(, |: |(?<=billed on)\s)/)
    .map((part) => translatedPart(part, language) ?? monthIn(part, formats) ?? part)
    .join('')

const translatedPart = (part: string, language: CustomerLanguage): string | undefined => {
  const known = Object.hasOwn(ROW_NAMES, part) ? ROW_NAMES[part] : undefined
  return known && translator({ known }, language)('known')
}

/** `April 2026` in another language. */
function monthIn(part: string, formats: Formats): string | undefined {
  const [, english = '', year] = /^(\w+) (\d{4})$/.exec(part) ?? []
  const month = MONTH_NAMES.indexOf(english) + 1
  return month === 0 ? undefined : formats.month(`${year}-${String(month).padStart(2, '0')}`)
}
