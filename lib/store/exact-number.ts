import { NumberValue } from '@aws-sdk/lib-dynamodb'
import { add, type Money } from '#lib/domain/money.ts'

/** An amount that an update adds. DynamoDB adds numbers of 38 digits exactly; a JavaScript number would not get there exactly. */
class ExactNumber extends NumberValue {
  /** Changes of one item are joined: the functions that add no amounts do without the code that adds them. */
  plus(other: unknown): ExactNumber {
    return new ExactNumber(add(this.toString(), String(other)))
  }
}

export const exactly = (amount: number | Money): ExactNumber => new ExactNumber(String(amount))
