import { clockOf } from '#lib/intake/clock.ts'
import { fieldsOf, readObjects } from '#lib/intake/json-objects.ts'
import type { ReadFormat } from '#lib/intake/record.ts'
import { halfOf } from './kamailio.ts'

const IDS = new Set([
  'callid',
  'from_tag',
  'to_tag',
  'src_user',
  'dst_user',
  'dst_ouser',
  'auth_user',
  'accountcode',
])

/** The transactions that Kamailio's acc_json module reports (src/modules/acc_json/acc_json_mod.c), an object for each. */
export const kamailioJson: ReadFormat = (document, { zone }) =>
  readObjects(document, (object, text) => {
    const half = halfOf(fieldsOf(object, text, IDS), clockOf(zone))
    return half && { kind: 'half', half }
  })
