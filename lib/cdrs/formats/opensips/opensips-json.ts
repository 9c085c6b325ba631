import type { ReadFormat } from '../cdr.ts'
import { clockOf } from '../clock.ts'
import { fieldsOf, isObject, readObjects } from '../json-objects.ts'
import { ID_FIELDS } from '../kamailio.ts'
import { accField, accFound } from './acc.ts'

/**
 * The events E_ACC_CDR, E_ACC_EVENT and E_ACC_MISSED_EVENT of OpenSIPS's acc module, as event_datagram,
 * event_stream and others send them (JSON-RPC, with the attributes in `params`), or their attributes alone.
 */
export const opensipsJson: ReadFormat = ({ text, zone, mapping }) => {
  const clock = clockOf(zone)
  return readObjects(text, (object, written) => {
    const { params, method } = object
    const field = fieldsOf(isObject(params) ? params : object, written, ID_FIELDS)
    return accFound(accField(field, mapping), clock, method === 'E_ACC_CDR')
  })
}
