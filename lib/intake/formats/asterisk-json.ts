import { clockOf } from '#lib/intake/clock.ts'
import { fieldsOf, type JsonObject, readObjects } from '#lib/intake/json-objects.ts'
import { DocumentRefused, type ReadFormat } from '#lib/intake/record.ts'
import type { Field } from '#lib/intake/texts.ts'
import { callOfCdr } from './asterisk.ts'

/** The manager's names for the fields of a CDR, as cdr_manager and cdr_beanstalkd write them. */
const MANAGER_NAMES: Readonly<Record<string, string>> = {
  accountcode: 'AccountCode',
  src: 'Source',
  dst: 'Destination',
  channel: 'Channel',
  dstchannel: 'DestinationChannel',
  start: 'StartTime',
  answer: 'AnswerTime',
  end: 'EndTime',
  duration: 'Duration',
  disposition: 'Disposition',
  uniqueid: 'UniqueID',
}

const IDS = new Set([
  'uniqueid',
  'UniqueID',
  'accountcode',
  'AccountCode',
  'src',
  'Source',
  'dst',
  'Destination',
])

/**
 * The JSON of an Asterisk backend: cdr_custom with `format = json`, an object on each line (res/cdrel_custom/writers.c);
 * cdr_beanstalkd, an object a job (cdr/cdr_beanstalkd.c); or the `Cdr` event of the manager as JSON (cdr/cdr_manager.c).
 */
export const asteriskJson: ReadFormat = (document, { zone }) =>
  readObjects(document, (object, text) => {
    const field = fieldsOf(object, text, IDS)
    return { kind: 'call', call: callOfCdr(named(field, object), clockOf(zone)) }
  })

function named(field: Field, object: JsonObject): Field {
  if (object['disposition'] !== undefined) return field
  if (object['Disposition'] === undefined) {
    throw new DocumentRefused('not of its format', 'it has no disposition')
  }
  const billsec = object['Billsec'] === undefined ? 'BillableSeconds' : 'Billsec'
  return (name) => field(name === 'billsec' ? billsec : (MANAGER_NAMES[name] ?? name))
}
