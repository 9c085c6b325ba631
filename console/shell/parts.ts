import type { SessionAnswer } from '#lib/api/console/answers/session.ts'

/** A part of the console, as the sidebar names it. */
export interface Part {
  readonly name: string
  readonly title: string
  readonly group: 'business' | 'developers'
}

const business = (name: string, title: string): Part => ({ name, title, group: 'business' })
const developers = (name: string, title: string): Part => ({ name, title, group: 'developers' })

const PARTS: readonly Part[] = [
  business('overview', 'Overview'),
  business('customers', 'Customers'),
  business('calls', 'Calls'),
  business('suspense', 'Suspense'),
  business('imports', 'Imports'),
  business('tariffs', 'Tariffs'),
  business('billing', 'Billing'),
  business('reports', 'Reports'),
  business('settings', 'Settings'),
  developers('explorer', 'Explorer'),
  developers('doctor', 'Doctor'),
  developers('keys', 'Keys'),
]

/** The tools of developers are for everybody who has a key. */
const FOR_ALL = ['explorer', 'doctor']

/** The parts that an account may use; the others are not shown. */
export const partsOf = ({ parts }: Pick<SessionAnswer, 'parts'>): readonly Part[] =>
  PARTS.filter(({ name }) => FOR_ALL.includes(name) || parts.some((one) => one === name))

export const titleOfPart = (name: string): string => PARTS.find((part) => part.name === name)?.title ?? ''
