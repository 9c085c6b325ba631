/** The problem of a column of a record, with the remedy. The name is blank for the whole record. */
export interface FieldProblem {
  readonly name: string
  readonly message: string
}

/** Thrown for a record with values that cannot be stored. */
export class RecordRefused extends Error {
  readonly problems: readonly FieldProblem[]

  constructor(problems: readonly FieldProblem[]) {
    super(problems.map(({ name, message }) => [name, message].filter(Boolean).join(': ')).join('; '))
    this.name = 'RecordRefused'
    this.problems = problems
  }
}

/** Thrown for a record that does not exist, or not for this account. */
export class NoSuchRecord extends Error {
  readonly noun: string
  readonly id: string

  constructor(noun: string, id: string) {
    super(`There is no ${noun} ${id}`)
    this.name = 'NoSuchRecord'
    this.noun = noun
    this.id = id
  }
}
