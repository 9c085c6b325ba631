import {
  rateSetAnswer,
  recordAnswer,
  recordsAnswer,
  writtenRecordAnswer,
} from '#lib/api/console/answers/records.ts'
import { ConsoleRefusal, forbidden, unknownThing } from '#lib/api/console/refusals.ts'
import { type ConsoleRequest, defineResource, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { plainText, sentText } from '#lib/api/console/values.ts'
import { MANAGERS } from '#lib/base/account-types.ts'
import { actsFor, seesEveryone } from '#lib/base/scope.ts'
import { boundedText } from '#lib/base/text.ts'
import { setRate } from '#lib/dataset/records/one-rate.ts'
import type { RecordField } from '#lib/dataset/records/record-fields.ts'
import type { RecordContext, RecordKind, RecordValues } from '#lib/dataset/records/record-kind.ts'
import { isKindName, type KindName, kindNamed } from '#lib/dataset/records/record-kinds.ts'
import { listRecords, readRecord } from '#lib/dataset/records/record-reading.ts'
import { NoSuchRecord, RecordRefused } from '#lib/dataset/records/record-refused.ts'
import { addRecord, changeRecord, removeRecord, type WrittenRecord } from '#lib/dataset/records/records.ts'

const inPath = { kind: sentText, id: sentText }

/** An accountant reads. */
const callers = ['admin', 'reseller', 'partner'] as const

type RecordRequest = ConsoleRequest<{ kind: typeof sentText }>

export const resource = defineResource({
  name: 'records',
  access: 'records',
  operations: [
    operation('GET', '/records/{kind}', {
      summary:
        'The fields of a kind, and up to 100 of its records by id: accounts and services of an owner, devices of an account, rules of a device or location, in `of`; with the names of what the columns in `named` name.',
      callers: MANAGERS,
      params: { kind: sentText, of: plainText, after: plainText, named: plainText },
      answer: recordsAnswer,
      run: async (request) => {
        const { params } = request
        const kind = kindOf(request)
        const wish = { ...params, named: params.named?.split(',') }
        const found = await listRecords(contextOf(request), kind, wish).catch(refuseRecord)
        return { kind, ...found, fields: found.fields.map(fieldRow), may: allowed(request, kind) }
      },
    }),
    operation('GET', '/records/{kind}/{id}', {
      summary: 'A record, its fields, and the names of the records that it names. Secrets are masked.',
      callers: MANAGERS,
      params: inPath,
      answer: recordAnswer,
      run: async (request) => {
        const kind = kindOf(request)
        const found = await readRecord(contextOf(request), kind, request.params.id).catch(refuseRecord)
        return { kind, ...found, fields: found.fields.map(fieldRow), may: allowed(request, kind) }
      },
    }),
    operation('POST', '/records/{kind}', {
      summary: 'Adds a record of the given columns, by the checks of an import, and logs it.',
      callers,
      params: { kind: sentText },
      answer: writtenRecordAnswer,
      run: (request) => write(request, 'add', (context, kind) => addRecord(context, kind, valuesIn(request))),
    }),
    operation('PUT', '/records/{kind}/{id}', {
      summary: 'Changes the given columns of a record, and logs it. A masked secret stays.',
      callers,
      params: inPath,
      answer: writtenRecordAnswer,
      run: (request) =>
        write(request, 'change', (context, kind) =>
          changeRecord(context, kind, request.params.id, valuesIn(request)),
        ),
    }),
    operation('DELETE', '/records/{kind}/{id}', {
      summary: 'Removes a device, or a rule of a device or location, and logs it.',
      callers,
      params: inPath,
      answer: writtenRecordAnswer,
      run: (request) =>
        write(request, 'remove', (context, kind) => removeRecord(context, kind, request.params.id)),
    }),
    operation('POST', '/tariffs/{id}/rates', {
      summary:
        'Sets the price of a minute to a prefix as a new version of the rates, from effective_from on, by default from now. What is not given is as in the present rate.',
      callers,
      params: { id: sentText },
      answer: rateSetAnswer,
      run: async (request) => {
        const { id } = request.params
        const { remarks, ...set } = await setRate(contextOf(request), id, valuesIn(request)).catch(
          refuseRecord,
        )
        return { id, ...set, remarks: [...remarks] }
      },
    }),
  ],
})

export const handler = consoleLambda(resource)

type Right = 'add' | 'change' | 'remove'

/** Refuses a kind that the account may not see in the words of a missing one. */
function kindOf({ params, caller }: RecordRequest): KindName {
  const { kind } = params
  if (isKindName(kind) && (seesEveryone(caller) || kindNamed(kind).limited)) return kind
  throw unknownThing('kind of records', kind)
}

function allowed({ caller }: RecordRequest, name: KindName): Right[] {
  const kind: RecordKind = kindNamed(name)
  if (caller.usertype === 'accountant' || (caller.usertype !== 'admin' && kind.limited === 'read')) return []
  return kind.remove ? ['add', 'change', 'remove'] : ['add', 'change']
}

async function write(
  request: RecordRequest,
  right: Right,
  change: (context: RecordContext, kind: KindName) => Promise<WrittenRecord>,
): Promise<WrittenRecord> {
  const kind = kindOf(request)
  if (!allowed(request, kind).includes(right))
    throw forbidden(`This account may not ${right} a ${kindNamed(kind).noun}.`)
  return change(contextOf(request), kind).catch(refuseRecord)
}

/** A reseller or partner has the records of its own customers. */
const contextOf = ({
  store,
  settings,
  clock,
  caller,
  logged,
  nameAccounts,
}: ConsoleRequest): RecordContext => ({
  ...{ store, settings, clock, logged, nameAccounts, who: caller.username },
  owner: seesEveryone(caller) ? undefined : actsFor(caller),
})

const valuesIn = ({ raw, params }: ConsoleRequest): RecordValues =>
  Object.fromEntries(
    Object.entries(raw).flatMap(([name, text]) =>
      Object.hasOwn(params, name) || text === undefined ? [] : [[name, boundedText(text)]],
    ),
  )

function refuseRecord(error: unknown): never {
  if (error instanceof NoSuchRecord) throw unknownThing(error.noun, error.id)
  if (error instanceof RecordRefused)
    throw new ConsoleRefusal('refused_values', error.message, error.problems)
  throw error
}

const fieldRow = ({ of, says, blank, ...field }: RecordField) => ({
  ...field,
  choices: [...field.choices],
  of: of ?? null,
  says: says || null,
  blank: blank || null,
})
