import * as v from 'valibot'
import {
  accountType,
  blankOr,
  countValue,
  flagValue,
  linkValue,
  pageKey,
  textOrBlank,
  textValue,
} from './shapes.ts'

const customer = v.object({
  id: countValue,
  username: textValue,
  name: textValue,
  type: accountType,
  owner: blankOr(linkValue),
  tariff: blankOr(linkValue),
  currency: textValue,
  devices: countValue,
  blocked: flagValue,
})

export type CustomerRow = v.InferOutput<typeof customer>

export const customersAnswer = v.object({ customers: v.array(customer), next: pageKey })

export type CustomersAnswer = v.InferOutput<typeof customersAnswer>

const device = v.object({
  id: countValue,
  name: textValue,
  type: textValue,
  address: textOrBlank,
  isPrimary: flagValue,
})

const balance = v.object({
  currency: textValue,
  invoiced: textValue,
  credited: textValue,
  paid: textValue,
  balance: textValue,
})

export type BalanceRow = v.InferOutput<typeof balance>

export const customerAnswer = v.object({
  customer,
  agreement: textOrBlank,
  clientId: textOrBlank,
  devices: v.array(device),
  /** One for each currency; null where the documents of this account are not for the eyes of the session. */
  balances: blankOr(v.array(balance)),
  mayBlock: flagValue,
})

export type CustomerAnswer = v.InferOutput<typeof customerAnswer>

export const blockedAnswer = v.object({ id: countValue, blocked: flagValue })

export const customerLogAnswer = v.object({
  /** The newest first. */
  log: v.array(v.object({ at: textValue, who: textValue, change: textValue })),
  /** Only entries of the installation's log from this moment on were read; null if all were. */
  readFrom: textOrBlank,
})

export type CustomerLogAnswer = v.InferOutput<typeof customerLogAnswer>
