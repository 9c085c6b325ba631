import type * as v from 'valibot'
import { BILLING_ANSWERS } from './billing.ts'
import { CALL_ANSWERS } from './calls.ts'
import { CUSTOMER_ANSWERS } from './customers.ts'
import { INSTALLATION_ANSWERS } from './installation.ts'
import { PORTAL_ANSWERS } from './portal.ts'
import { SWITCH_ANSWERS } from './switches.ts'
import { TARIFF_ANSWERS } from './tariffs.ts'

/** The answer of each operation of the console's API, by its verb and path. */
export const ANSWERS = {
  ...BILLING_ANSWERS,
  ...CALL_ANSWERS,
  ...CUSTOMER_ANSWERS,
  ...INSTALLATION_ANSWERS,
  ...PORTAL_ANSWERS,
  ...SWITCH_ANSWERS,
  ...TARIFF_ANSWERS,
}

export type Verb = 'GET' | 'POST' | 'PUT' | 'DELETE'

type OperationName = keyof typeof ANSWERS

/** Answers are checked by it in tests; the document of the API describes it. */
export const schemaOfAnswer = ({ verb, path }: { readonly verb: Verb; readonly path: string }) =>
  ANSWERS[`${verb} ${path}` as OperationName]

type PathOf<N, V extends Verb> = N extends `${V} ${infer P}` ? P : never

/** The paths of a verb, with the names of their values in braces. */
export type OperationPath<V extends Verb> = PathOf<OperationName, V>

/** What an operation returns. */
export type AnswerGiven<V extends Verb, P extends OperationPath<V>> = v.InferInput<
  (typeof ANSWERS)[`${V} ${P}` & OperationName]
>

/** Whether a path, with or without values, is that of an operation. */
type Fits<P extends string, O> = O extends `${infer OPart}/${infer ORest}`
  ? P extends `${infer PPart}/${infer PRest}`
    ? PPart extends OPart
      ? Fits<PRest, ORest>
      : OPart extends `{${string}}`
        ? Fits<PRest, ORest>
        : false
    : false
  : P extends `${string}/${string}`
    ? false
    : P extends O
      ? true
      : O extends `{${string}}`
        ? true
        : false

/** The path of an operation that a path, with or without values, is that of. */
type Fitting<O extends string, P extends string> = O extends string
  ? Fits<P, O> extends true
    ? O
    : never
  : never

type NameAt<V extends Verb, P extends string> = `${V} ${P extends OperationPath<V>
  ? P
  : Fitting<OperationPath<V>, P>}` &
  OperationName

/** What a request with this path is answered; unknown for a path that is not that of one operation. */
export type AnswerTo<V extends Verb, P extends string> = [NameAt<V, P>] extends [never]
  ? unknown
  : v.InferOutput<(typeof ANSWERS)[NameAt<V, P>]>
